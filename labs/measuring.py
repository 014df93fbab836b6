"""What workers count of gradings and of the sandboxes that wait for them. What waits is read from the rows themselves.

Verdicts are counted where they are written, once each, and not by counting rows: people delete their accounts, and a
counter that goes down is read as one that began anew.
"""

from __future__ import annotations

import itertools
import os
import socket

from grader import pool
from grader.verdict import Outcome
from labs.models import Mode, Submission
from telemetry import tally

DEVICES = ("cpu", "cuda")
SECONDS = (0.5, 1, 2, 5, 10, 15, 20, 30, 60, 120, 300, 600)

VERDICTS = tally.Counter(
    "headroom_verdicts_total",
    "Verdicts written.",
    ("outcome", "mode", "device"),
    known=tuple(itertools.product(map(str, Outcome), Mode.values, DEVICES)),
)
GRADING = tally.Histogram(
    "headroom_grading_seconds", "From the claim of a submission to its verdict.", ("mode", "device"), SECONDS
)
WAITING = tally.Histogram(
    "headroom_wait_seconds", "From sending a submission to its first claim.", ("device",), SECONDS
)
TAKEN_BACK = tally.Counter("headroom_taken_back_total", "Submissions taken back from a worker that fell silent.")
SWEEPS = tally.Counter("headroom_sweeps_total", "Sweeps of the queue that came to their end.")
SANDBOXES = tally.Counter(
    "headroom_sandboxes_total",
    "Sandboxes: filled (started ahead), ready (taken from those that waited), fresh (started when wanted), "
    "refused (could not be started).",
    ("event",),
    known=(("filled",), ("ready",), ("fresh",), ("refused",)),
)
SANDBOXES_READY = tally.Gauge("headroom_sandboxes_ready", "Sandboxes that wait ready.", ("worker",))

_seen: dict[str, int] = {}


def begun(submission: Submission) -> None:
    """Count a claim: how long the first one was waited for."""
    if submission.attempt == 1 and submission.started is not None:
        waited = (submission.started - submission.created).total_seconds()
        WAITING.observe(max(0.0, waited), submission.device)


def graded(submission: Submission, outcome: str, seconds: float) -> None:
    """Count a verdict that was written."""
    VERDICTS.add(outcome, submission.mode, submission.device)
    GRADING.observe(seconds, submission.mode, submission.device)
    tally.carry_soon()


def watch_pool() -> None:
    """Let this process tell every few seconds of its sandboxes."""
    tally.before_carrying(_look_at_pool)


def _look_at_pool() -> None:
    for event, count in pool.counts.items():
        if new := count - _seen.get(event, 0):
            SANDBOXES.add(event, by=new)
            _seen[event] = count
    SANDBOXES_READY.set(pool.waiting(), f"{socket.gethostname()}:{os.getpid()}")
