"""The learner's own days: which date it is for them, and how many in a row they practised."""

from __future__ import annotations

import zoneinfo
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any


def zone(user: Any) -> zoneinfo.ZoneInfo:
    """Return a person's time zone; UTC where theirs is not known here."""
    try:
        return zoneinfo.ZoneInfo(user.timezone)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError):
        return zoneinfo.ZoneInfo("UTC")


def today(user: Any, now: datetime) -> date:
    """Return the date that it is for a person at `now` (aware)."""
    return now.astimezone(zone(user)).date()


@dataclass(frozen=True)
class Streak:
    """Days in a row up to today, or up to yesterday where today is still to come; and the most there ever were."""

    current: int
    longest: int
    days: int
    today: bool


def streak(days: Iterable[date], day: date) -> Streak:
    """Count days in a row among `days`, seen on `day`. A day that is not over breaks nothing."""
    active = {each for each in days if each <= day}
    end = day if day in active else day - timedelta(days=1)
    current = 0
    while end - timedelta(days=current) in active:
        current += 1
    longest = run = 0
    before: date | None = None
    for each in sorted(active):
        run = run + 1 if before == each - timedelta(days=1) else 1
        longest, before = max(longest, run), each
    return Streak(current, longest, len(active), day in active)
