"""What staff do about comments: hide, show again, and settle reports."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.db import transaction

from accounts import audit
from discussion import writing
from discussion.models import Comment, Report

USUAL = "It does not fit the rules of these discussions."


@transaction.atomic
def hide(pks: list[int], why: str, by: Any, now: datetime) -> int:
    """Hide comments from all but their authors and staff; the reports about them are upheld. Return how many."""
    found = Comment.objects.filter(pk__in=pks, hidden_at=None, deleted_at=None)
    _note(found, "hidden", by)
    hidden = found.update(hidden_at=now, hidden_why=why, untold=False)
    settle(Report.objects.filter(comment__in=pks, state=Report.State.OPEN), Report.State.UPHELD, by, now)
    return hidden


@transaction.atomic
def show(pks: list[int], by: Any) -> int:
    """Show hidden comments again."""
    found = Comment.objects.filter(pk__in=pks, hidden_at__isnull=False)
    _note(found, "shown again", by)
    return found.update(hidden_at=None, hidden_why="")


@transaction.atomic
def take_words_away(comments: list[Comment], by: Any, now: datetime) -> int:
    """Delete the words of comments for good."""
    for comment in comments:
        audit.record(audit.MODERATED, by=by, about=comment.author_id, what=f"comment {comment.pk} deleted")
        writing.delete(comment, now)
    return len(comments)


@transaction.atomic
def settle(reports: Any, state: str, by: Any, now: datetime) -> int:
    """Write on open reports what became of them."""
    found = reports.filter(state=Report.State.OPEN)
    for number, comment, author in found.values_list("pk", "comment_id", "comment__author_id"):
        what = f"report {number} of comment {comment} {state}"
        audit.record(audit.MODERATED, by=by, about=author, what=what)
    settled: int = found.update(state=state, settled_at=now, settled_by=by)
    return settled


def _note(comments: Any, done: str, by: Any) -> None:
    for number, author in comments.values_list("pk", "author_id"):
        audit.record(audit.MODERATED, by=by, about=author, what=f"comment {number} {done}")
