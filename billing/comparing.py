"""Compare what we know of every subscription with what the provider says: events that never came do no lasting harm."""

from __future__ import annotations

import logging
from collections import Counter
from datetime import UTC, datetime

from billing import gateway, reading, receiving
from billing.models import Customer, Subscription
from billing.state import OVER, missing

log = logging.getLogger(__name__)


def compare_all() -> Counter[str]:
    """Take the provider's word for every subscription; count what agreed, what differed, what is gone there.

    Raises ProviderError where the list could not be read to its end: then nothing is taken for gone.
    """
    counts: Counter[str] = Counter()
    seen: set[str] = set()
    asked = datetime.now(UTC)
    customers = {each.provider_id: each for each in Customer.objects.select_related("user")}
    for found in gateway.subscriptions():
        identifier = reading.identifier(found)
        seen.add(identifier)
        customer = customers.get(reading.identifier(found.get("customer")))
        if customer is None:
            counts["nobody's"] += 1
            continue
        before = Subscription.objects.filter(provider_id=identifier).first()
        news = reading.Known(reading.snapshot(found, gateway.as_of(found)))
        after = receiving.learn(identifier, customer, news)
        same = before is not None and (before.open_until, before.status) == (after.open_until, after.status)
        counts["agreed" if same else "differed"] += 1
    if not Subscription.objects.filter(provider_id__in=seen).exists():
        # Not one of ours is there: these are the keys of another account rather than the end of every subscription.
        log.error("the provider knows none of our subscriptions; none is taken for gone")
        return counts
    for row in Subscription.objects.exclude(provider_id__in=seen).exclude(status__in=OVER).filter(as_of__lt=asked):
        receiving.learn(row.provider_id, row.customer, missing(row.known, asked))
        counts["gone"] += 1
    if counts["differed"] or counts["gone"]:
        log.warning("subscriptions differed from what the provider says: %s", dict(counts))
    return counts
