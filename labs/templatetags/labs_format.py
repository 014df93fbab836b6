"""Filters that print figures and outcomes in the labs' templates."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django import template

from grader import catalog
from labs import progress, units, verdict_page

register = template.Library()


@register.simple_tag
def recent_submissions(user: Any) -> list[Any]:
    """Return a person's last submissions, none for a visitor: pages of other apps show them by this tag."""
    return progress.recent(user)


@register.filter
def lab_title(slug: str) -> str:
    """Return the lab's title, or its slug where the catalogue no longer has it."""
    return next((lab.title for lab in catalog.all_labs() if lab.slug == slug), slug)


@register.filter
def of_bytes(value: int) -> str:
    return units.of_bytes(value)


@register.filter
def exact_bytes(value: int) -> str:
    return units.exact(value, "bytes")


@register.filter
def duration(value: timedelta | None) -> str:
    return units.of_seconds(value.total_seconds()) if value is not None else ""


@register.filter
def outcome_label(outcome: str) -> str:
    return verdict_page.label(outcome)


@register.filter
def outcome_tone(outcome: str) -> str:
    return verdict_page.tone(outcome)


@register.filter
def mebibytes(value: Any) -> str:
    """Bytes as MiB without the unit, for a column that states it."""
    return units.three(value / 2**20)
