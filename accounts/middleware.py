"""Show times in the time zone of the person who reads them."""

import zoneinfo
from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils import timezone


def in_their_timezone(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Activate the signed-in person's time zone for the request; a visitor without a session costs no query."""

    def middleware(request: HttpRequest) -> HttpResponse:
        user = request.user if settings.SESSION_COOKIE_NAME in request.COOKIES else None
        with timezone.override(_zone(user.timezone) if user is not None and user.is_authenticated else None):
            return get_response(request)

    return middleware


def _zone(name: str) -> zoneinfo.ZoneInfo | None:
    try:
        return zoneinfo.ZoneInfo(name)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError):
        # Written by a system with a newer time zone database than ours.
        return None
