"""The discussion at the foot of a page."""

from __future__ import annotations

from typing import Any

from django import template
from django.utils import timezone

from discussion import gate, reading
from pages import places

register = template.Library()
NEWEST = 5


@register.inclusion_tag("discussion/foot.html", takes_context=True)
def discussion_on(context: template.Context, page: Any, *, is_open: bool) -> dict[str, Any]:
    """List the newest threads of a page; nothing unless its view decided that all of the page is open.

    One query, two where there are threads; under a lab up to two more.
    """
    if not is_open:
        return {"place": None}
    place = places.of(page)
    reader = gate.reader(context["request"].user, place, timezone.now())
    return {"place": place, "listed": reading.threads(place, reader, NEWEST)}
