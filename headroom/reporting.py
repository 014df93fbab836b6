"""How someone who found a fault reaches us: /.well-known/security.txt (RFC 9116) and the page that it leads to."""

from __future__ import annotations

from datetime import UTC, timedelta

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_GET

VALID = timedelta(days=180)
"""How long what the file says may be relied on; RFC 9116 asks for less than a year."""


@require_GET
def security_txt(request: HttpRequest) -> HttpResponse:
    """Say where to report, in the form that machines read."""
    midnight = timezone.now().astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    site = settings.SITE_URL.rstrip("/")
    lines = [
        f"Contact: {settings.SECURITY_CONTACT}",
        f"Expires: {midnight + VALID:%Y-%m-%dT%H:%M:%SZ}",
        "Preferred-Languages: en",
        f"Canonical: {site}{reverse('security_txt')}",
        f"Policy: {site}{reverse('security')}",
    ]
    return HttpResponse("\n".join(lines) + "\n", content_type="text/plain; charset=utf-8")


@require_GET
def page(request: HttpRequest) -> HttpResponse:
    """Say where to report, what helps, and what to leave alone."""
    where = settings.SECURITY_CONTACT
    return render(request, "security.html", {"where": where, "shown": where.removeprefix("mailto:")})
