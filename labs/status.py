"""Say where a submission stands: pure functions of the row, of the number ahead of it, and of the time."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from labs.models import State, Submission

# How often to ask again, by the time since the submission was sent: soon at first, rarely for a long wait.
_BACK_OFF = ((10, 1), (60, 2), (600, 5))
_AT_MOST_S = 15


@dataclass(frozen=True)
class Status:
    """A sentence for people, a bar (`done` of `total`; 0: unknown), and the seconds until the page asks again."""

    sentence: str
    note: str
    done: int
    total: int
    every: int
    over: bool

    @property
    def token(self) -> str:
        """What a page was last told: the same token means that there is nothing new to draw."""
        return f"{self.sentence}|{self.every}|{int(self.over)}"


def poll_every(age: timedelta) -> int:
    """Return the seconds until the next question, for a submission of this age."""
    return next((every for below, every in _BACK_OFF if age.total_seconds() < below), _AT_MOST_S)


def describe(submission: Submission, ahead: int, now: datetime, *, runner: bool = True) -> Status:
    """Return the status of a submission; `ahead` counts the queued ones before it, `runner`: somebody can take it."""
    sentence, done, total = _where(submission, ahead)
    note = ""
    if submission.state == State.QUEUED and not runner:
        sentence = "Waiting for a GPU runner"
        note = "None is working for this site now. It is graded when one comes; until then you can cancel it."
    if submission.attempt > (1 if submission.state == State.RUNNING else 0) and not submission.is_over:
        note = "An earlier try was interrupted by a fault of ours, so it is graded again."
    every = poll_every(now - submission.created)
    return Status(sentence, note, done, total, every, submission.is_over)


def _where(submission: Submission, ahead: int) -> tuple[str, int, int]:
    if submission.state == State.QUEUED:
        if ahead == 0:
            return "Queued, next in line", 0, 0
        return f"Queued, {ahead:,} ahead of this one", 0, 0
    if submission.state == State.RUNNING:
        done, total = submission.progress_done, submission.progress_total
        if submission.phase == "case" and total:
            return f"Running case {min(done + 1, total)} of {total}", done, total
        if submission.phase == "judging":
            return "Judging: comparing with the reference", total, total
        return "Starting a fresh sandbox", 0, 0
    if submission.state == State.CANCELLED:
        return "Cancelled", 0, 0
    return "Done", 1, 1
