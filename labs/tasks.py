"""What the queue carries: thin tasks that take a primary key. The database is the truth; a message is only a hint."""

from __future__ import annotations

import logging

from celery import Task, shared_task
from kombu.exceptions import OperationalError

from labs import runners  # the worker, which loads this module, beats through it

log = logging.getLogger(__name__)

LONGEST_GRADING_S = 600
"""A grading that takes longer is stuck by a fault of ours: its lease runs out and its process is ended."""


@shared_task(bind=True, ignore_result=True, acks_late=False, time_limit=LONGEST_GRADING_S + 60)
def grade(self: Task, pk: int) -> None:
    """Grade one submission, if it is still there to be taken. A worker that cannot grade ends: what starts it anew
    starts it with the files that are there then, and until that works the submissions wait."""
    from labs import grading  # late: only workers need the grader

    try:
        grading.grade(pk)
    except grading.CannotGrade as why:
        log.critical("This worker cannot grade and stops: %s", why)
        self.app.control.shutdown(destination=[self.request.hostname])


@shared_task(ignore_result=True, acks_late=False, expires=5)
def sweep() -> None:
    """Make nothing lost: see `labs.sweeping`."""
    from labs import sweeping  # late: it sends the task above

    sweeping.sweep()


def send_hint(pk: int, device: str) -> bool:
    """Tell the workers of a device that a submission waits.

    False: the queue cannot be reached, and the sweeper has to try again.
    """
    try:
        grade.apply_async((pk,), queue=runners.queue_for(device))
    except (OperationalError, OSError):
        log.warning("The queue cannot be reached; submission %s waits for the sweeper.", pk, exc_info=True)
        return False
    return True
