"""What labs keep of a person."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta

from accounts import personal, retention
from accounts.models import User
from labs.models import Draft, Submission


def _code(user: User) -> Iterator[tuple[str, bytes]]:
    found = Submission.objects.filter(user=user).order_by("pk").values_list("lab", "public_id", "source")
    for lab, public_id, source in found.iterator(chunk_size=100):
        yield f"{lab}-{public_id}.py", bytes(source)


OURS = [
    "source",
    "idempotency_key",
    "request_id",
    "timeline_gone",
    "lease_until",
    "hinted_at",
    "worker",
    "phase",
    "progress_done",
    "progress_total",
]
personal.rows(
    Submission, "labs/submissions", "Submissions with their verdicts, and the code", leave_out=OURS, files=_code
)
personal.rows(Draft, "labs/drafts", "Code in the labs' editors")


@retention.rule(
    "labs/timelines", "Memory timelines of your submissions; figures, checks and code stay", timedelta(days=180)
)
def forget_timelines(before: datetime) -> int:
    return Submission.objects.forget_timelines(before)


@retention.rule(
    "labs/drafts", "Drafts of accounts that were closed", timedelta(days=90), since="the last change to them"
)
def forget_drafts(before: datetime) -> int:
    return retention.in_batches(Draft.objects.filter(user__is_active=False, updated__lt=before))
