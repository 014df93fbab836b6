"""The note and the bookmark on the page that is shown."""

from __future__ import annotations

from typing import Any

from django import template

from notes import keeping
from notes.views import kept_name
from pages import places

register = template.Library()


@register.inclusion_tag("notes/here.html", takes_context=True)
def note_on(context: template.Context, page: Any) -> dict[str, Any]:
    """Show the reader's own note and bookmark on a lesson, a question or a lab: one query for someone signed in."""
    request = context["request"]
    place = places.of(page)
    shown: dict[str, Any] = {"request": request, "place": place, "longest": keeping.LONGEST}
    if not request.user.is_authenticated:
        return shown
    note = keeping.of(request.user, place)
    kept = request.session.get(kept_name(place))
    return shown | {
        "text": kept if kept is not None else note.text if note else "",
        "restored": kept is not None,
        "revision": note.revision if note else 0,
        "bookmarked": bool(note and note.bookmarked_at),
        "csrf_token": context.get("csrf_token"),
    }
