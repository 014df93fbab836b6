"""What the queue does for discussions. A message is a hint; that someone is still to be told stands in the database."""

from __future__ import annotations

import logging

from celery import shared_task
from django.utils import timezone
from kombu.exceptions import OperationalError

log = logging.getLogger(__name__)


@shared_task(ignore_result=True)
def tell(pk: int) -> None:
    """Tell someone of one reply, unless they were told."""
    from discussion import telling  # late: it is imported where comments are written

    telling.tell(pk)


@shared_task(ignore_result=True)
def upkeep() -> None:
    """Tell of the replies whose message was lost, and forget what counts no more for the limits."""
    from discussion import limits, telling

    telling.tell_rest(timezone.now())
    limits.forget(timezone.now())


def send_hint(pk: int) -> bool:
    """Ask the queue to tell of a reply. False: it cannot be reached, and `upkeep` will."""
    try:
        tell.apply_async((pk,), queue="short")
    except (OperationalError, OSError) as error:
        log.warning("The queue cannot be reached (%s); reply %s is told of later.", error, pk)
        return False
    return True
