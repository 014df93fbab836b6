"""Grade one submission in a worker: claim it, keep its lease, write the verdict if it is still ours.

The one place that imports the judge, and only when called: the web process never loads torch.
"""

from __future__ import annotations

import logging
import os
import socket
import threading
import time
from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.db import InterfaceError, OperationalError, connection

import grader
from grader.verdict import Outcome, Verdict
from labs import measuring
from labs.models import MAX_ATTEMPTS, Submission
from labs.sweeping import ungradable
from labs.tasks import LONGEST_GRADING_S
from telemetry import context, spans

log = logging.getLogger(__name__)

BEAT_S = 4.0
"""Seconds between heartbeats: three fit into a lease."""

WRITE_RETRIES_S = (0.2, 1.0, 3.0, 8.0, 15.0)
"""Waits between tries to write a verdict while the database is away."""


class CannotGrade(Exception):
    """This worker cannot grade at all; the message says what to do. No submission was taken."""


def grade(hint: int) -> bool:
    """Grade the submission that is next, on the device of the one whose primary key is the `hint`.

    False: nothing was there to be taken, or another attempt or a cancellation came first. Raises CannotGrade where the
    fault is this worker's: it would use up the attempts of everything that waits.
    """
    _be_able()
    submission = _next(hint)
    if submission is None:
        return False
    with context.about(request_id=submission.request_id, submission=submission.public_id):
        waited = (submission.started - submission.created).total_seconds() if submission.started else 0.0
        with spans.span("grading", lab=submission.lab, attempt=submission.attempt, waited_seconds=waited) as said:
            return _grade(submission, said)


def _grade(submission: Submission, said: dict[str, Any]) -> bool:
    pk, attempt, began = submission.pk, submission.attempt, time.monotonic()
    fields = {"attempt": attempt, "lab": submission.lab, "mode": submission.mode, "device": submission.device}
    log.info("Grading begins.", extra=fields)
    measuring.begun(submission)
    try:
        with Heartbeat(pk, attempt) as heart:
            verdict = _judge(submission, heart.progress, heart.lost)
    except BaseException:  # the worker is being stopped: hand the submission back rather than let its lease run out
        _insist(lambda: Submission.objects.requeue(pk, attempt))
        raise
    if verdict is None or heart.lost():
        log.info("Nobody waits for this grading any more.", extra=fields)
        return False
    if verdict.outcome is Outcome.UNGRADABLE:
        log.error("It is ungradable in attempt %d: %s", attempt, verdict.message, extra=fields)
        if attempt < MAX_ATTEMPTS:
            _insist(lambda: Submission.objects.requeue(pk, attempt))
            return False
    said["outcome"] = verdict.outcome.value
    data = storable(verdict.to_json())
    written = _insist(lambda: Submission.objects.finish(pk, attempt, data, grader_version=grader.VERSION))
    if written:
        took = time.monotonic() - began
        measuring.graded(submission, verdict.outcome.value, took)
        log.info("A verdict is written.", extra=fields | {"outcome": verdict.outcome.value, "seconds": round(took, 3)})
    return written


def _be_able() -> None:
    try:
        from grader import judge

        judge.ready(sandbox_mode())
    except Exception as error:  # an installation can be broken in any way
        raise CannotGrade(str(error)) from error


def _next(hint: int) -> Submission | None:
    """Claim the next submission; another worker that was quicker leaves the one after it."""
    device = Submission.objects.filter(pk=hint).values_list("device", flat=True).first()
    while device and (next_pk := Submission.objects.fairest(device)):
        if submission := Submission.objects.claim(next_pk, worker=f"{socket.gethostname()}:{os.getpid()}"):
            return submission
    return None


def _judge(
    submission: Submission, progress: Callable[[str, int, int], None], cancelled: Callable[[], bool]
) -> Verdict | None:
    """Return the judge's verdict, ours where it failed, None where it was told to stop."""
    from grader import judge

    try:
        return judge.grade(
            submission.lab,
            bytes(submission.source),
            device=submission.device,
            mode=submission.mode,
            sandbox=sandbox_mode(),
            progress=progress,
            cancelled=cancelled,
        )
    except judge.Cancelled:
        return None
    except Exception:  # whatever it is, it is ours: it is logged, tried again, and never scored
        log.exception("The judge failed on submission %s.", submission.public_id)
        return ungradable(submission.lab, submission.device, "The grader stopped with an error of its own.")


def sandbox_mode() -> str:
    """Only someone alone on their own machine may be graded without bubblewrap."""
    return "bwrap" if settings.HEADROOM_MODE == "production" else "auto"


def warm() -> None:
    """Load torch and start a sandbox ahead, so that the first submission does not wait for either."""
    try:
        from grader import judge

        measuring.watch_pool()
        judge.warm(sandbox_mode())
    except Exception:  # a worker that cannot warm up must still start: its first submission says what is wrong
        log.exception("This worker could not get ready to grade; it will try again with its first submission.")


class Heartbeat:
    """Extends a submission's lease from a thread of its own, and carries the judge's progress into the row.

    The judge's calls only set variables: it never waits for the database. `lost()` turns true when the row is no
    longer this attempt's. A grading that outlives LONGEST_GRADING_S is not kept alive.
    """

    def __init__(self, pk: int, attempt: int, *, every: float = BEAT_S, longest: float = LONGEST_GRADING_S) -> None:
        self._pk, self._attempt = pk, attempt
        self._every, self._end = every, time.monotonic() + longest
        self._at: tuple[str, int, int] = ("starting", 0, 0)
        self._wake, self._stop, self._lost = threading.Event(), threading.Event(), threading.Event()
        self._thread = threading.Thread(target=context.carried(self._run), name=f"heartbeat-{pk}", daemon=True)

    def __enter__(self) -> Heartbeat:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._wake.set()
        self._thread.join()

    def progress(self, phase: str, done: int, total: int) -> None:
        if (phase, done, total) != self._at:  # "starting" stands in the row since it was claimed
            self._at = (phase, done, total)
            self._wake.set()

    def lost(self) -> bool:
        return self._lost.is_set()

    def _run(self) -> None:
        try:
            while time.monotonic() < self._end:
                self._wake.wait(self._every)
                self._wake.clear()
                if self._stop.is_set():
                    return
                self._beat()
                if self._lost.is_set():
                    return
                self._stop.wait(0.2)  # a burst of progress is one write
        finally:
            connection.close()

    def _beat(self) -> None:
        phase, done, total = self._at
        try:
            if not Submission.objects.heartbeat(self._pk, self._attempt, phase=phase, done=done, total=total):
                self._lost.set()
        except (OperationalError, InterfaceError):
            log.warning("The database is away; the lease of submission %s was not extended.", self._pk)
            connection.close()


def _insist(write: Callable[[], bool]) -> bool:
    """Call `write`, again and again while the database is away. Raises what the last try raised."""
    for pause in WRITE_RETRIES_S:
        try:
            return write()
        except (OperationalError, InterfaceError):
            log.warning("The database is away; trying again in %s s.", pause)
            if not connection.in_atomic_block:
                connection.close()
            time.sleep(pause)
    return write()


def storable(value: Any) -> Any:
    """Return JSON data with every string fit for PostgreSQL: no NUL and no lone surrogate, both made visible."""
    if isinstance(value, str):
        return value.replace("\x00", "␀").encode("utf-8", errors="backslashreplace").decode("utf-8")
    if isinstance(value, dict):
        return {storable(key): storable(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [storable(item) for item in value]
    return value
