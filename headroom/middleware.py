"""Around every request: its id, its line in the log, its place in the tallies, its span."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse

from headroom import metrics
from telemetry import context, spans

log = logging.getLogger("headroom.request")

HEADER = "X-Request-ID"
QUIET = ("healthz", "readyz", "metrics", "static")
"""Views that are asked every few seconds, or many times a page: their lines are for debugging."""

FROM_INSIDE = ("/healthz", "/readyz", "/metrics")
"""Asked by orchestrators, by whatever address they reach this process: the name of the site is not theirs to know."""


def observe(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Give each request an id, which its answer names in X-Request-ID, and say how it went.

    An id that comes with the request counts only behind a proxy of ours, as with every other such header.
    """

    def middleware(request: HttpRequest) -> HttpResponse:
        given = request.headers.get(HEADER) if settings.TRUSTED_PROXIES else None
        request.request_id = request_id = context.new_request_id(given)  # type: ignore[attr-defined]
        if request.path in FROM_INSIDE:
            request.META["HTTP_HOST"] = settings.ALLOWED_HOSTS[0].lstrip(".*") or "localhost"
        began = time.monotonic()
        with context.about(request_id=request_id):
            with spans.span("request") as said:
                response = get_response(request)
                view = view_name(request)
                said.update(method=request.method or "", view=view, status=response.status_code)
            seconds = time.monotonic() - began
            metrics.answered(view, request.method, response.status_code, seconds)
            fields = {"method": request.method, "view": view, "status": response.status_code}
            quiet = logging.DEBUG if view in QUIET else logging.INFO
            level = logging.WARNING if response.status_code >= 500 else quiet
            log.log(level, "%s %s %s", *fields.values(), extra={**fields, "seconds": round(seconds, 4)})
        response[HEADER] = request_id
        return response

    return middleware


def bounded(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Refuse a body of more than LARGEST_BODY bytes before anything reads it.

    Django's own limit leaves out the files in a form: those it would write to the disk, whatever their size. A body
    without a length (chunked) is read by nobody.
    """

    def middleware(request: HttpRequest) -> HttpResponse:
        length = request.META.get("CONTENT_LENGTH") or "0"
        # Python reads at most 4300 digits as a number
        if not length.isdecimal() or len(length) > 20 or int(length) > settings.LARGEST_BODY:
            return HttpResponse(
                f"At most {settings.LARGEST_BODY:,} bytes can be sent at once. Nothing was read.\n",
                status=413,
                content_type="text/plain; charset=utf-8",
            )
        return get_response(request)

    return middleware


def view_name(request: HttpRequest) -> str:
    """Return the name of the view that answered: the few names that there are, whatever addresses were tried."""
    if request.resolver_match is not None:
        return request.resolver_match.view_name or "unnamed"
    return "static" if request.path.startswith(settings.STATIC_URL) else "none"
