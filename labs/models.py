"""Submissions and drafts. A submission changes state only through the conditional updates of its QuerySet."""

from __future__ import annotations

import secrets
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import Count, F, OuterRef, Q, Subquery
from django.db.models.functions import Coalesce, Now

from telemetry.context import REQUEST_ID_LENGTH

LEASE = timedelta(seconds=15)
"""How long a worker may be silent before its submission is given to another."""

HINT_LASTS = timedelta(seconds=15)
"""How long a queued submission waits for its message in the queue to be picked up before another is sent."""

WORKER_LASTS = timedelta(seconds=60)
"""A worker beats four times before it counts as gone."""

TIMELINES_AT_ONCE = 5000
"""At most so many are taken out of verdicts in one night; the rest follows in the next."""

MAX_ATTEMPTS = 3
"""How often a submission is graded again for faults of ours before staff look at it."""

# No vowels, no look-alikes, one case: an id can be read aloud and spells nothing. 16 of 28 letters hold 76 bits.
_ID_LETTERS = "23456789bcdfghjkmnpqrstvwxyz"
ID_LENGTH = 16


def new_public_id() -> str:
    """Return an identifier that cannot be guessed, for addresses that people see."""
    return "".join(secrets.choice(_ID_LETTERS) for _ in range(ID_LENGTH))


class State(models.TextChoices):
    QUEUED = "queued", "Queued"
    RUNNING = "running", "Running"
    DONE = "done", "Done"
    CANCELLED = "cancelled", "Cancelled"


class Mode(models.TextChoices):
    RUN = "run", "Run"
    SUBMIT = "submit", "Submit"


class SubmissionQuerySet(models.QuerySet["Submission"]):
    """Each transition is one UPDATE that names the state it starts from, so of two callers one wins.

    Leases use the database's clock: workers on several machines need not agree about the time.
    """

    def light(self) -> SubmissionQuerySet:
        """Leave out the two large columns, for lists."""
        return self.defer("source", "verdict")

    def claim(self, pk: int, *, worker: str) -> Submission | None:
        """Take a queued submission for grading; return it, or None if it is not there to be taken."""
        attempt = self.filter(pk=pk, state=State.QUEUED).values_list("attempt", flat=True).first()
        if attempt is None:
            return None
        won = self.filter(pk=pk, state=State.QUEUED, attempt=attempt).update(
            state=State.RUNNING,
            attempt=attempt + 1,
            lease_until=Now() + LEASE,
            worker=worker[:100],
            started=Now(),
            phase="starting",
            progress_done=0,
            progress_total=0,
        )
        return self.get(pk=pk) if won else None

    def fairest(self, device: str) -> int | None:
        """Return the queued submission that a worker should take next; None if nothing waits.

        It is the oldest of the person who has the fewest in work and was served longest ago: who sends two hundred
        waits for their own, and delays another's one by a single grading.
        """
        theirs = self.model.objects.filter(user=OuterRef("user")).order_by()
        running = theirs.filter(state=State.RUNNING).values("user").annotate(n=Count("pk")).values("n")
        served = theirs.filter(started__isnull=False).order_by("-started").values("started")[:1]
        waiting = self.filter(state=State.QUEUED, device=device).annotate(
            in_work=Coalesce(Subquery(running), 0), served=Subquery(served)
        )
        return waiting.order_by("in_work", F("served").asc(nulls_first=True), "pk").values_list("pk", flat=True).first()

    def supersede(self, user: Any, lab: str, mode: str) -> int:
        """Cancel a person's submissions of one kind that wait in one lab; return how many."""
        return self.filter(user=user, lab=lab, mode=mode, state=State.QUEUED).update(
            state=State.CANCELLED, finished=Now(), lease_until=None, phase=""
        )

    def _held(self, pk: int, attempt: int) -> SubmissionQuerySet:
        return self.filter(pk=pk, state=State.RUNNING, attempt=attempt)

    def heartbeat(self, pk: int, attempt: int, *, phase: str, done: int, total: int) -> bool:
        """Extend the lease and record progress. False: the submission is no longer this attempt's."""
        return bool(
            self._held(pk, attempt).update(
                lease_until=Now() + LEASE, phase=phase[:20], progress_done=done, progress_total=total
            )
        )

    def finish(self, pk: int, attempt: int, verdict: dict[str, Any], *, grader_version: str) -> bool:
        """Write the verdict, unless another attempt or a cancellation came first. `verdict` is JSON-ready."""
        return self._finish(self._held(pk, attempt), verdict, grader_version)

    def give_up(self, pk: int, attempt: int, verdict: dict[str, Any], *, grader_version: str) -> bool:
        """Write our own verdict on a submission whose worker fell silent."""
        return self._finish(self._held(pk, attempt).filter(lease_until__lt=Now()), verdict, grader_version)

    def _finish(self, rows: SubmissionQuerySet, verdict: dict[str, Any], grader_version: str) -> bool:
        return bool(
            rows.update(
                state=State.DONE,
                verdict=verdict,
                outcome=verdict["outcome"],
                score=verdict["score"],
                finished=Now(),
                lease_until=None,
                phase="",
                grader_version=grader_version,
            )
        )

    def requeue(self, pk: int, attempt: int) -> bool:
        """Hand a submission back after a fault of ours; the sweeper sends it out again."""
        return self._requeue(self._held(pk, attempt))

    def take_back(self, pk: int, attempt: int) -> bool:
        """Return a submission to the queue because its worker fell silent."""
        return self._requeue(self._held(pk, attempt).filter(lease_until__lt=Now()))

    def _requeue(self, rows: SubmissionQuerySet) -> bool:
        return bool(rows.update(state=State.QUEUED, lease_until=None, hinted_at=None, phase="", worker=""))

    def cancel(self, pk: int) -> bool:
        """Stop a submission that has no verdict yet. A worker that holds it learns of it at its next heartbeat."""
        return bool(
            self.filter(pk=pk, state__in=[State.QUEUED, State.RUNNING]).update(
                state=State.CANCELLED, finished=Now(), lease_until=None, phase=""
            )
        )

    def forget_timelines(self, before: datetime) -> int:
        """Take the timelines out of verdicts written before a moment; figures and checks stay. Return how many."""
        due = self.filter(state=State.DONE, timeline_gone=False, finished__lt=before).order_by("finished")
        count = 0
        for pk in list(due.values_list("pk", flat=True)[:TIMELINES_AT_ONCE]):
            verdict = self.values_list("verdict", flat=True).get(pk=pk)
            count += bool(verdict and verdict.get("timeline"))
            self.filter(pk=pk).update(verdict=verdict and {**verdict, "timeline": {}}, timeline_gone=True)
        return count

    def lapsed(self) -> SubmissionQuerySet:
        """Running, and silent for longer than the lease."""
        return self.filter(state=State.RUNNING, lease_until__lt=Now())

    def without_hint(self) -> SubmissionQuerySet:
        """Queued, with no message in the queue that could still be fresh."""
        return self.filter(state=State.QUEUED).filter(Q(hinted_at=None) | Q(hinted_at__lt=Now() - HINT_LASTS))

    def mark_hinted(self, pk: int, previous: Any) -> bool:
        """Note that a message for a queued submission is being sent; of two sweepers one wins."""
        return bool(self.filter(pk=pk, state=State.QUEUED, hinted_at=previous).update(hinted_at=Now()))


class Submission(models.Model):
    """One module that a learner sent to be run or graded, and what came of it.

    `source` holds the bytes as they came (a text column would refuse NUL and invalid UTF-8).
    `attempt` counts gradings started; a result is written only by the attempt that holds the row.
    `hinted_at` is when a message was last put in the queue: the row is the truth, the message only a hint.
    `timeline_gone` is set once the verdict's timelines, by far its largest part, have been kept long enough.
    `request_id` is the web request that it came with: the worker's lines in the log carry it too.
    """

    public_id = models.CharField(max_length=ID_LENGTH, unique=True, default=new_public_id, editable=False)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="submissions")
    lab = models.CharField(max_length=60)
    mode = models.CharField(max_length=10, choices=Mode.choices, default=Mode.SUBMIT)
    device = models.CharField(max_length=10, default="cpu")
    source = models.BinaryField()
    idempotency_key = models.CharField(max_length=64, null=True, editable=False)
    request_id = models.CharField(max_length=REQUEST_ID_LENGTH, blank=True, default="", editable=False)
    shared = models.BooleanField(default=False)

    state = models.CharField(max_length=10, choices=State.choices, default=State.QUEUED)
    attempt = models.PositiveSmallIntegerField(default=0)
    lease_until = models.DateTimeField(null=True, blank=True)
    hinted_at = models.DateTimeField(null=True, blank=True)
    worker = models.CharField(max_length=100, blank=True, default="")
    phase = models.CharField(max_length=20, blank=True, default="")
    progress_done = models.PositiveIntegerField(default=0)
    progress_total = models.PositiveIntegerField(default=0)

    verdict = models.JSONField(null=True, blank=True)
    outcome = models.CharField(max_length=20, blank=True, default="")
    score = models.FloatField(default=0.0)
    grader_version = models.CharField(max_length=20, blank=True, default="")
    timeline_gone = models.BooleanField(default=False, editable=False)

    created = models.DateTimeField(auto_now_add=True)
    started = models.DateTimeField(null=True, blank=True)
    finished = models.DateTimeField(null=True, blank=True)

    objects = SubmissionQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["user", "idempotency_key"], name="labs_submission_once"),
        ]
        indexes = [
            models.Index(fields=["user", "-id"], name="labs_submission_mine"),
            models.Index(fields=["user", "lab", "-id"], name="labs_submission_mine_in_lab"),
            models.Index(fields=["device", "id"], condition=Q(state="queued"), name="labs_submission_queued"),
            models.Index(
                fields=["user", "-started"], condition=Q(started__isnull=False), name="labs_submission_served"
            ),
            models.Index(fields=["lease_until"], condition=Q(state="running"), name="labs_submission_running"),
            models.Index(fields=["outcome", "-id"], name="labs_submission_outcome"),
            models.Index(fields=["device"], condition=Q(state__in=["queued", "running"]), name="labs_submission_open"),
            models.Index(fields=["-finished"], condition=Q(state="done"), name="labs_submission_done"),
            models.Index(
                fields=["finished"], condition=Q(state="done", timeline_gone=False), name="labs_submission_timeline"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.public_id} ({self.lab}, {self.state})"

    @property
    def is_over(self) -> bool:
        return self.state in (State.DONE, State.CANCELLED)

    @property
    def code(self) -> str:
        """The source as text, for an editor; bytes that are not UTF-8 show as U+FFFD."""
        return bytes(self.source).decode("utf-8", errors="replace")

    def ahead(self) -> int:
        """How many queued submissions may be taken before this one: each round serves every person once (`fairest`)."""
        waiting = Submission.objects.filter(state=State.QUEUED, device=self.device)
        own = waiting.filter(user=self.user_id, pk__lt=self.pk).count()
        others = waiting.exclude(user=self.user_id).order_by().values("user").annotate(n=Count("pk"))
        return own + sum(min(n, own + 1) for n in others.values_list("n", flat=True))


class DraftQuerySet(models.QuerySet["Draft"]):
    def of(self, user: Any, lab: str) -> Draft | None:
        return self.filter(user=user, lab=lab).first()

    def save_text(self, user: Any, lab: str, text: str, revision: int, *, aside: str | None = None) -> Draft | None:
        """Store what someone is writing, if `revision` is still the newest (0: none yet); return None if it is not.

        `aside` is a text to keep beside it, None to leave that as it is. NUL cannot be typed and PostgreSQL's text
        cannot hold it: it becomes U+FFFD.
        """
        text = text.replace("\x00", "\ufffd")
        more = {} if aside is None else {"aside": aside.replace("\x00", "\ufffd")}
        if revision == 0:
            defaults = {"text": text, "revision": 1, **more}
            draft, created = self.get_or_create(user=user, lab=lab, defaults=defaults)
            return draft if created or draft.text == text else None
        won = self.filter(user=user, lab=lab, revision=revision).update(
            text=text, revision=F("revision") + 1, updated=Now(), **more
        )
        return self.of(user, lab) if won else self.filter(user=user, lab=lab, text=text).first()


class Draft(models.Model):
    """What someone is writing in a lab's editor. `revision` grows by one with each save.

    `aside` is the text that was last replaced as a whole, by a reset or a choice between two tabs; it can be had back.
    """

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="lab_drafts")
    lab = models.CharField(max_length=60)
    text = models.TextField(blank=True)
    aside = models.TextField(blank=True, default="")
    revision = models.PositiveIntegerField(default=1)
    updated = models.DateTimeField(auto_now=True)

    objects = DraftQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "lab"], name="labs_draft_one_a_lab")]

    def __str__(self) -> str:
        return f"{self.lab}, revision {self.revision}"


class WorkerQuerySet(models.QuerySet["Worker"]):
    def beat(self, name: str, queues: str, version: str) -> None:
        """Note that a worker is there, on the database's clock."""
        self.update_or_create(
            name=name[:100],
            defaults={"queues": queues[:100], "version": version[:20], "seen": Now()},
            create_defaults={"queues": queues[:100], "version": version[:20], "seen": Now(), "since": Now()},
        )

    def alive(self) -> WorkerQuerySet:
        return self.filter(seen__gte=Now() - WORKER_LASTS)

    def forget_silent(self) -> int:
        """Delete those that have been silent for a day; return how many."""
        return self.filter(seen__lt=Now() - timedelta(days=1)).delete()[0]


class Worker(models.Model):
    """A process that takes gradings, as it last showed itself. `since` is when it first did under this name."""

    name = models.CharField(max_length=100, unique=True)
    queues = models.CharField(max_length=100)
    version = models.CharField(max_length=20)
    since = models.DateTimeField()
    seen = models.DateTimeField(db_index=True)

    objects = WorkerQuerySet.as_manager()

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name
