"""What someone has done in the labs, for the pages that show progress."""

from __future__ import annotations

from datetime import date, tzinfo
from typing import Any

from django.db.models.functions import TruncDate

from grader.verdict import Outcome
from labs.models import Mode, Submission


def passed_slugs(user: Any) -> set[str]:
    """Return the slugs of the labs that a person has passed; none for a visitor."""
    if not user.is_authenticated:
        return set()
    passed = Submission.objects.filter(user=user, mode=Mode.SUBMIT, outcome=Outcome.PASSED)
    return set(passed.values_list("lab", flat=True).distinct())


def passed_and_days(user: Any, zone: tzinfo) -> tuple[set[str], set[date]]:
    """Return the slugs that a person has passed, and the days in `zone` on which they ran anything: one query."""
    mine = Submission.objects.filter(user=user).order_by().annotate(on=TruncDate("created", tzinfo=zone))
    rows = list(mine.values_list("lab", "mode", "outcome", "on").distinct())
    passed = {lab for lab, mode, outcome, _ in rows if mode == Mode.SUBMIT and outcome == Outcome.PASSED}
    return passed, {on for *_, on in rows}


def recent(user: Any, limit: int = 5) -> list[Submission]:
    """Return a person's last submissions, newest first, without their source and verdict."""
    if not user.is_authenticated:
        return []
    return list(Submission.objects.light().filter(user=user).order_by("-id")[:limit])
