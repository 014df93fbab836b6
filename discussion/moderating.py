"""What staff do about comments: hide, show again, and settle reports."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.db import transaction

from discussion.models import Comment, Report

USUAL = "It does not fit the rules of these discussions."


@transaction.atomic
def hide(pks: list[int], why: str, by: Any, now: datetime) -> int:
    """Hide comments from all but their authors and staff; the reports about them are upheld. Return how many."""
    hidden = Comment.objects.filter(pk__in=pks, hidden_at=None, deleted_at=None).update(
        hidden_at=now, hidden_why=why, untold=False
    )
    settle(Report.objects.filter(comment__in=pks, state=Report.State.OPEN), Report.State.UPHELD, by, now)
    return hidden


def show(pks: list[int]) -> int:
    """Show hidden comments again."""
    return Comment.objects.filter(pk__in=pks, hidden_at__isnull=False).update(hidden_at=None, hidden_why="")


def settle(reports: Any, state: str, by: Any, now: datetime) -> int:
    """Write on open reports what became of them."""
    settled: int = reports.filter(state=Report.State.OPEN).update(state=state, settled_at=now, settled_by=by)
    return settled
