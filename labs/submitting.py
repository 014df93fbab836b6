"""Take a submission in: check it, write the row and its idempotency key at once, and tell the queue on commit."""

from __future__ import annotations

import hashlib
import logging
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from django.contrib.auth import get_user_model
from django.db import transaction
from django.utils import timezone

from grader.catalog import Lab
from grader.verdict import Outcome
from labs import runners
from labs.models import Mode, State, Submission
from labs.tasks import send_hint
from telemetry import context

log = logging.getLogger(__name__)

DAILY_QUOTA = 200
"""Submissions a person may send in one UTC day. What we failed to grade and what never started are not counted."""

SAME_FORM = timedelta(seconds=60)
"""How long one form, sent again unchanged, gives the submission that it already made."""

SAME_CODE = timedelta(seconds=2)
"""The same for a form without a key: the same code for the same lab, twice in a row."""


class NotAccepted(Exception):
    """A submission that is not taken in. The message says why and what to do."""


@dataclass(frozen=True)
class Submitted:
    submission: Submission
    created: bool


@dataclass(frozen=True)
class Quota:
    """What is left of today's submissions, and when they are full again (UTC midnight)."""

    used: int
    limit: int
    resets_at: datetime

    @property
    def left(self) -> int:
        return max(0, self.limit - self.used)


def check_size(lab: Lab, size: int) -> None:
    """Raise NotAccepted for a submission larger than the lab takes, before it is read."""
    if size > lab.source_limit_bytes:
        raise NotAccepted(
            f"This code has {size:,} bytes; this lab takes at most {lab.source_limit_bytes:,}."
            " Remove what the lab does not need (data, comments, generated text) and send it again."
        )


def check_source(lab: Lab, source: bytes) -> None:
    """Raise NotAccepted for an empty or too large submission."""
    check_size(lab, len(source))
    if not source.strip():
        names = " and ".join(f"{name}()" for name in lab.entry_points)
        raise NotAccepted(f"There is no code to send: the file is empty. Write {names}, or reset to the starter.")


def quota(user: Any, now: datetime) -> Quota:
    """Return what a person has used of today's submissions."""
    midnight = now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    used = (
        Submission.objects.filter(user=user, created__gte=midnight)
        .exclude(outcome=Outcome.UNGRADABLE)
        .exclude(state=State.CANCELLED, attempt=0)
        .count()
    )
    return Quota(used, DAILY_QUOTA, midnight + timedelta(days=1))


def submit(
    user: Any,
    lab: Lab,
    *,
    mode: Mode,
    source: bytes,
    key: str = "",
    now: datetime | None = None,
    wait: bool = False,
    supersede: bool = False,
) -> Submitted:
    """Write a queued submission and enqueue it on commit; the same form sent twice gives the same submission.

    `key` is the form's own; the code, the lab and the mode belong to it, so a form that was edited and sent again
    is a new submission. `wait` keeps it in the queue although nobody is there to grade it.
    `supersede` cancels the person's queued submissions of the same kind in this lab. Raises NotAccepted.
    """
    check_source(lab, source)
    device = runners.device_for(lab)
    if not wait and not runners.alive(device):
        raise NotAccepted(
            "This lab is graded on a GPU, and no GPU runner is working for this site now. Your code is kept here as a"
            " draft. Send it again later, or tick “Keep it waiting” and send it: it is then graded when a runner comes."
        )
    now = now or timezone.now()
    parts = [key.encode(), lab.slug.encode(), mode.value.encode(), source]
    digest = hashlib.sha256(b"".join(len(part).to_bytes(8) + part for part in parts)).hexdigest()
    with transaction.atomic():
        # One person's submissions enter one at a time; SQLite has one writer at a time anyway.
        get_user_model().objects.select_for_update().get(pk=user.pk)
        earlier = Submission.objects.light().filter(user=user, idempotency_key=digest).first()
        if earlier is not None:
            if earlier.created > now - (SAME_FORM if key else SAME_CODE):
                return Submitted(earlier, created=False)
            Submission.objects.filter(pk=earlier.pk).update(idempotency_key=None)
        if supersede:
            Submission.objects.supersede(user, lab.slug, mode)
        today = quota(user, now)
        if not today.left:
            raise NotAccepted(
                f"You have sent {today.used} submissions today, which is the daily limit. Your code is kept here as a"
                f" draft; you can send it from {today.resets_at:%H:%M} UTC on {today.resets_at.day}"
                f" {today.resets_at:%B}. Until then, `python -m grader grade {lab.slug} FILE` runs on your machine."
            )
        submission = Submission.objects.create(
            user=user,
            lab=lab.slug,
            mode=mode,
            device=device,
            source=source,
            idempotency_key=digest,
            request_id=context.request_id(),
            hinted_at=now,
        )
        transaction.on_commit(lambda: _tell_queue(submission))
    return Submitted(submission, created=True)


def _tell_queue(submission: Submission) -> None:
    fields = {"submission": submission.public_id, "lab": submission.lab, "mode": submission.mode}
    log.info("A submission waits.", extra=fields | {"device": submission.device})
    if not send_hint(submission.pk, submission.device):
        Submission.objects.filter(pk=submission.pk, state=State.QUEUED).update(hinted_at=None)
