"""What is the same for all to whom the same is open: made once by each web process, kept while the curriculum stays.

Keys name the page and how much of it is open, never a person; nothing of a person may be in what `make` returns. Where
a page names the request (the CSRF token, the policy's nonce) a kept piece has a hole, filled anew in each answer.

Kept in production alone: while someone writes, templates and pages change under a running process.
"""

from __future__ import annotations

import copy
import functools
import re
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.middleware.csrf import get_token
from django.template.loader import render_to_string
from django.utils.cache import patch_vary_headers

from courses.models import Course

T = TypeVar("T")

STAMP_S = 1.0
"""How long a process goes without looking at the curriculum's stamp: so much later a sync is seen."""

PAGE_S = 5.0
"""How long a visitor's page is shown as it was made: threads of its discussion are not in the curriculum's stamp."""

# Unguessable, so that no text of anyone's can hold one.
CSRF = f"hole{secrets.token_hex(24)}csrf"
NONCE = f"hole{secrets.token_hex(24)}nonce"


@dataclass
class _Shelf:
    """What was made under one stamp. A new stamp begins a new shelf; what is made for the old one goes with it."""

    stamp: str
    looked: float
    things: dict[Any, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class _VisitorsPage:
    """A page as bytes with the holes' names between them, and until when (monotonic seconds) it is shown."""

    until: float
    pieces: list[bytes]
    content_type: str


_shelf = _Shelf("", 0.0)


def kept(key: Any, make: Callable[[], T]) -> T:
    """Return what `make` returned for `key` under the curriculum's present stamp. `make` must not return None."""
    shelf = _current()
    if shelf is None:
        return make()
    thing = shelf.things.get(key)
    if thing is None:
        # The stamp was read before `make` reads rows: what it finds is as new as the stamp, or newer.
        thing = shelf.things[key] = make()
    return thing


def page(request: HttpRequest, template: str, context: dict[str, Any], status: int = 200) -> HttpResponse:
    """Render a page whose pieces may have holes, and fill them."""
    html: str = render_to_string(template, {**context, "csrf_token": CSRF}, request)
    if not getattr(request, "leave_holes", False):
        html = html.replace(CSRF, get_token(request)).replace(NONCE, str(getattr(request, "csp_nonce", "")))
    return HttpResponse(html, status=status)


def same_for_visitors(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Keep a view's pages for those who bring no session, message or query; the view must answer with `page`.

    All visitors are one person to `accounts.access`, at any time; what the view shows them may depend on the path only.
    """

    @functools.wraps(view)
    def wrapped(request: HttpRequest, *args: Any, **named: Any) -> HttpResponse:
        shelf = _current()
        if shelf is None or not _is_plain(request):
            return view(request, *args, **named)
        key, now = ("page", request.path), time.monotonic()
        shown: _VisitorsPage | None = shelf.things.get(key)
        if shown is None or shown.until < now:
            for_all = copy.copy(request)
            for_all.leave_holes, for_all.csp_nonce = True, NONCE  # type: ignore[attr-defined]
            response = view(for_all, *args, **named)
            if response.status_code != 200:
                return response
            shown = _VisitorsPage(now + PAGE_S, _pieces(response.content), response["Content-Type"])
            shelf.things[key] = shown
        return _filled(shown, request)

    return wrapped


def _current() -> _Shelf | None:
    """Return the shelf of the curriculum as it is, None where nothing is kept."""
    global _shelf
    if not settings.PRODUCTION:
        return None
    now = time.monotonic()
    if now >= _shelf.looked + STAMP_S or not _shelf.stamp:
        stamp = Course.objects.order_by("pk").values_list("stamp", flat=True).first()
        if not stamp:
            return None
        if stamp != _shelf.stamp:
            _shelf = _Shelf(stamp, now)
        _shelf.looked = now
    return _shelf


def forget() -> None:
    """Begin anew, as a process does that has just started."""
    global _shelf
    _shelf = _Shelf("", 0.0)


def _is_plain(request: HttpRequest) -> bool:
    brings = request.COOKIES
    session = settings.SESSION_COOKIE_NAME in brings or "messages" in brings
    return request.method == "GET" and not session and not request.META.get("QUERY_STRING")


def _pieces(content: bytes) -> list[bytes]:
    """Split a page at its holes, whose names stay among the pieces."""
    return re.split(f"({CSRF}|{NONCE})".encode(), content)


def _filled(shown: _VisitorsPage, request: HttpRequest) -> HttpResponse:
    fills = {CSRF.encode(): get_token(request).encode(), NONCE.encode(): str(request.csp_nonce).encode()}  # type: ignore[attr-defined]
    response = HttpResponse(b"".join(fills.get(piece, piece) for piece in shown.pieces), shown.content_type)
    # The same address shows a member something else: the session middleware saw nobody ask for one.
    patch_vary_headers(response, ["Cookie"])
    return response
