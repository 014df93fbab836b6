"""What pages of other apps show of practising."""

from __future__ import annotations

from typing import Any

from django import template
from django.utils import timezone

from accounts.access import Person
from practice import progress, reviewing

register = template.Library()


@register.simple_tag
def reviews_due(user: Any, person: Person) -> int:
    """Return how many cards a person has to review today, none for a visitor: four queries."""
    if not user.is_authenticated:
        return 0
    return len(reviewing.today(user, person, timezone.now()).due)


@register.simple_tag
def progress_by_track(user: Any) -> list[progress.TrackLine]:
    """Return how far a person has come on each track: one query."""
    return progress.by_track(user)
