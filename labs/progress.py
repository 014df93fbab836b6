"""What someone has done in the labs, for the pages that show progress."""

from __future__ import annotations

from typing import Any

from grader.verdict import Outcome
from labs.models import Mode, Submission


def passed_slugs(user: Any) -> set[str]:
    """Return the slugs of the labs that a person has passed; none for a visitor."""
    if not user.is_authenticated:
        return set()
    passed = Submission.objects.filter(user=user, mode=Mode.SUBMIT, outcome=Outcome.PASSED)
    return set(passed.values_list("lab", flat=True).distinct())


def recent(user: Any, limit: int = 5) -> list[Submission]:
    """Return a person's last submissions, newest first, without their source and verdict."""
    if not user.is_authenticated:
        return []
    return list(Submission.objects.light().filter(user=user).order_by("-id")[:limit])
