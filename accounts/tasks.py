"""What the queue does for accounts."""

from __future__ import annotations

from celery import shared_task
from django.utils import timezone

from accounts import retention


@shared_task(ignore_result=True)
def forget_what_is_due() -> None:
    """Once a night: delete what has been kept long enough."""
    retention.run(timezone.now())
