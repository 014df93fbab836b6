"""What labs keep of a person."""

from __future__ import annotations

from collections.abc import Iterator

from accounts import personal
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
