"""Upkeep of the queue, every few seconds: what a lost worker held or a lost queue forgot is sent out again."""

from __future__ import annotations

import logging

import grader
from grader.verdict import Outcome, Verdict
from labs import measuring, runners
from labs.models import MAX_ATTEMPTS, Submission, Worker
from labs.tasks import send_hint

log = logging.getLogger(__name__)

HINTS_A_SWEEP = 200
"""Only the oldest are sent again: enough for progress, and a long queue is not doubled every few seconds."""


def ungradable(lab: str, device: str, why: str) -> Verdict:
    """Return the verdict on a submission that we failed to grade. `why` completes the sentence for the learner."""
    return Verdict(
        lab=lab,
        outcome=Outcome.UNGRADABLE,
        device=device,
        message=f"{why} This is our fault, not your code's: it counts neither as an attempt nor against today's"
        " submissions, and we have been told. Send it again whenever you like.",
    )


def _fields(row: Submission) -> dict[str, object]:
    return {"submission": row.public_id, "request_id": row.request_id, "attempt": row.attempt, "lab": row.lab}


def sweep() -> tuple[int, int, int]:
    """Return how many submissions were taken back, given up and sent out again."""
    taken_back = given_up = hinted = 0
    Worker.objects.forget_silent()
    for row in Submission.objects.lapsed().light().order_by("pk")[:HINTS_A_SWEEP]:
        if row.attempt < MAX_ATTEMPTS:
            if Submission.objects.take_back(row.pk, row.attempt):
                taken_back += 1
                measuring.TAKEN_BACK.add()
                log.warning("Its worker %s fell silent.", row.worker, extra=_fields(row))
            continue
        verdict = ungradable(row.lab, row.device, f"Grading was interrupted {row.attempt} times.")
        if Submission.objects.give_up(row.pk, row.attempt, verdict.to_json(), grader_version=grader.VERSION):
            given_up += 1
            measuring.VERDICTS.add(verdict.outcome.value, row.mode, row.device)
            log.error("It is ungradable: %d workers fell silent.", row.attempt, extra=_fields(row))
    waiting = Submission.objects.without_hint().light().order_by("pk")
    if not runners.alive("cuda"):  # hints that nobody takes would pile up in the queue
        waiting = waiting.filter(device="cpu")
    for row in waiting[:HINTS_A_SWEEP]:
        if Submission.objects.mark_hinted(row.pk, row.hinted_at):
            if not send_hint(row.pk, row.device):
                break
            hinted += 1
    measuring.SWEEPS.add()
    return taken_back, given_up, hinted
