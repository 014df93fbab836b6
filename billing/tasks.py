"""What the queue does for billing."""

from __future__ import annotations

import logging

from celery import shared_task
from django.conf import settings

from billing import comparing, gateway

log = logging.getLogger(__name__)


@shared_task
def compare_with_provider() -> None:
    """Once a day. Where the provider does not answer, tomorrow does."""
    if settings.PAYMENTS is None:
        return
    try:
        comparing.compare_all()
    except gateway.ProviderError as error:
        log.error("the subscriptions could not be compared with the provider's: %s", error)
