"""Show times in the time zone of the person who reads them."""

import zoneinfo
from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils import timezone


def in_their_timezone(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Activate the signed-in person's time zone for the request; a visitor without a session costs no query."""

    def middleware(request: HttpRequest) -> HttpResponse:
        signed_in = settings.SESSION_COOKIE_NAME in request.COOKIES and request.user.is_authenticated
        name = request.user.timezone if signed_in else "UTC"
        try:
            zone: zoneinfo.ZoneInfo | None = zoneinfo.ZoneInfo(name)
        except (zoneinfo.ZoneInfoNotFoundError, ValueError):
            zone = None
        with timezone.override(zone):
            return get_response(request)

    return middleware
