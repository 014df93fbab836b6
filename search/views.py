"""Search, as a page and as the part of it that changes while someone types."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from accounts.access import Person
from search.finding import find
from search.words import LONGEST_QUERY


@require_GET
@never_cache
def search(request: HttpRequest) -> HttpResponse:
    """Look for `q` in everything that this person may open; to htmx only the results are sent."""
    text = request.GET.get("q", "").replace("\x00", "").strip()[:LONGEST_QUERY]
    found = find(text, Person.of(request.user), timezone.now()) if text else None
    fragment = request.headers.get("HX-Request") == "true"
    context = {"query": text, "found": found, "longest": LONGEST_QUERY}
    return render(request, "search/results.html" if fragment else "search/page.html", context)
