"""What staff see of the queue: who works, what waits and since when, what we failed to grade."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Avg, Count, F, Min, Q
from django.utils import timezone

import grader
from grader.verdict import Outcome
from labs.models import WORKER_LASTS, State, Submission, Worker

RECENT = timedelta(hours=1)


@dataclass(frozen=True)
class Depth:
    """What waits for a device: how many of how many people, and since when the oldest does."""

    device: str
    waiting: int
    people: int
    oldest: datetime | None
    running: int


@dataclass(frozen=True)
class Queue:
    """The queue at one moment. `recent` holds (outcome, how many, mean seconds from start to end), last hour."""

    at: datetime
    version: str
    workers: list[dict[str, Any]]
    depths: list[Depth]
    lapsed: int
    recent: list[tuple[str, int, float]]
    ungradable: int


def look() -> Queue:
    """Read the state of the queue: five queries."""
    now = timezone.now()
    over = Submission.objects.filter(state__in=[State.QUEUED, State.RUNNING]).order_by().values("device")
    depths = over.annotate(
        waiting=Count("pk", filter=Q(state=State.QUEUED)),
        people=Count("user", filter=Q(state=State.QUEUED), distinct=True),
        oldest=Min("created", filter=Q(state=State.QUEUED)),
        running=Count("pk", filter=Q(state=State.RUNNING)),
    )
    done = Submission.objects.filter(state=State.DONE, finished__gte=now - RECENT).order_by().values("outcome")
    recent = done.annotate(n=Count("pk"), took=Avg(F("finished") - F("started"))).order_by("outcome")
    return Queue(
        at=now,
        version=grader.VERSION,
        workers=[
            {"worker": worker, "alive": worker.seen >= now - WORKER_LASTS, "old": worker.version != grader.VERSION}
            for worker in Worker.objects.all()
        ],
        depths=[Depth(**row) for row in depths.order_by("device")],
        lapsed=Submission.objects.lapsed().count(),
        recent=[(row["outcome"], row["n"], row["took"].total_seconds()) for row in recent],
        ungradable=Submission.objects.filter(outcome=Outcome.UNGRADABLE).count(),
    )
