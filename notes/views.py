"""Notes and bookmarks: writing them where the page is, and the list of them all."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render, resolve_url
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from accounts.typed import whole_number
from notes import keeping
from pages import places
from pages.places import Place


@login_required
@require_GET
@never_cache
def index(request: HttpRequest) -> HttpResponse:
    """List what this person keeps. It stays theirs where a page is gone or does not open to them any more."""
    rows: list[dict[str, Any]] = [{"note": note, "place": places.of_row(note)} for note in keeping.all_of(request.user)]
    context = {
        "bookmarks": [row for row in rows if row["note"].bookmarked_at],
        "notes": [row for row in rows if row["note"].text],
    }
    return render(request, "notes/list.html", context)


def kept_name(place: Place) -> str:
    """Return the name in the session of a text that someone wrote while signed out."""
    return f"note-{place.kind}-{place.slug}"


def _back(place: Place) -> str:
    return f"{place.url}#note"


def _sign_in(place: Place) -> HttpResponse:
    return redirect(f"{resolve_url(settings.LOGIN_URL)}?{urlencode({'next': _back(place)})}")


@require_POST
def save(request: HttpRequest, kind: str, slug: str) -> HttpResponse:
    """Save the note on a page; `revision` is the one that it was based on. Whatever is refused, the text is kept."""
    place = places.find(kind, slug)
    text = request.POST.get("text", "")
    htmx = request.headers.get("HX-Request") == "true"
    if not request.user.is_authenticated:
        if htmx:
            return _saved(request, place, signed_out=True, revision=request.POST.get("revision", "0"))
        if text.strip():
            request.session[kept_name(place)] = text[: keeping.LONGEST]
        return _sign_in(place)
    number = whole_number(request.POST.get("revision", ""))
    try:
        note = keeping.save(request.user, place, text, number)
    except keeping.NotSaved as problem:
        return _refused(request, place, text, number, problem, htmx)
    request.session.pop(kept_name(place), None)
    if htmx:
        return _saved(request, place, revision=note.revision)
    messages.success(request, "Your note is saved.")
    return redirect(_back(place))


def _refused(
    request: HttpRequest, place: Place, text: str, revision: int, problem: keeping.NotSaved, htmx: bool
) -> HttpResponse:
    """Say why, with both texts where there are two: as a part of the page, or as a page of its own."""
    other = problem.note if isinstance(problem, keeping.Conflict) else None
    context: dict[str, Any] = {
        "problem": str(problem),
        "other": other,
        "revision": revision,
        "newest": other.revision if other else None,
    }
    if htmx:
        # htmx swaps nothing on an error status, and this has to be seen
        return _saved(request, place, **context)
    context |= {"place": place, "text": text, "longest": keeping.LONGEST}
    # the next save is meant to replace what the person has now seen
    context["revision"] = other.revision if other else revision
    return render(request, "notes/refused.html", context, status=409 if other else 422)


def _saved(request: HttpRequest, place: Place, **context: Any) -> HttpResponse:
    return render(request, "notes/saved.html", {**context, "place": place, "now": timezone.now()})


@require_POST
def bookmark(request: HttpRequest, kind: str, slug: str) -> HttpResponse:
    """Set or take away the bookmark on a page."""
    place = places.find(kind, slug)
    if not request.user.is_authenticated:
        return _sign_in(place)
    on = request.POST.get("on") == "yes"
    keeping.bookmark(request.user, place, on)
    if request.headers.get("HX-Request") == "true":
        return render(request, "notes/bookmark.html", {"place": place, "bookmarked": on})
    if request.POST.get("from") == "list":
        return redirect("notes:list")
    return redirect(_back(place))
