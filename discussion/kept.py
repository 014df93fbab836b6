"""What discussions keep of a person, and what becomes of it."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.utils import timezone

from accounts import personal, retention
from accounts.models import User
from discussion import limits, writing
from discussion.models import Act, Comment, Preference, Report, Thread

STUB = "deleted; where others answered, an empty stub stays"
personal.rows(Thread, "discussion/threads", "Threads that you started", owner="author", on_deletion=STUB)
personal.rows(
    Comment,
    "discussion/comments",
    "Comments that you wrote",
    owner="author",
    leave_out=["html", "untold"],
    on_deletion=STUB,
)
personal.rows(Report, "discussion/reports", "Comments that you reported", owner="reporter", leave_out=["settled_by"])
personal.rows(Preference, "discussion/preferences", "What you want to be told of in discussions")
personal.not_exported(Act, "moments at which you wrote, for the limits; gone after a day")


@personal.in_deletion
def take_words_away(user: User) -> None:
    """Delete what someone wrote, the newest first, so that of their own answers to themselves nothing is left."""
    for comment in Comment.objects.filter(author=user).order_by("-pk"):
        writing.delete(comment, timezone.now())


@retention.rule("discussion/acts", "Moments at which you wrote, for the limits", timedelta(days=1))
def forget_acts(before: datetime) -> int:
    return limits.forget(before + limits.DAY)


@retention.rule(
    "discussion/reports", "Comments that you reported", timedelta(days=365), since="our staff settled the report"
)
def forget_reports(before: datetime) -> int:
    return retention.in_batches(Report.objects.exclude(state=Report.State.OPEN).filter(settled_at__lt=before))
