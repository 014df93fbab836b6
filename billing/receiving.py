"""Take in what the provider says of a subscription: by an event, by an answer, or by the daily comparison."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from typing import Any

from django.db import IntegrityError, transaction

from billing import reading
from billing.models import Customer, Event, Subscription
from billing.state import Known, merge

log = logging.getLogger(__name__)


def learn(provider_id: str, customer: Customer, news: Known) -> Subscription:
    """Add `news` to what is known of a subscription, and let its grant follow. In any order, as often as you like."""
    with transaction.atomic():
        Subscription.objects.get_or_create(provider_id=provider_id, defaults={"customer": customer})
        row = Subscription.objects.select_for_update().get(provider_id=provider_id)
        if row.customer_id != customer.pk:
            raise reading.Unreadable(f"{provider_id} belongs to another customer")
        known = merge(row.known, news)
        if known != row.known or (row.open_until is not None) != (row.grant_id is not None):
            row.known = known
            row.save()
    return row


def take_in(event: Mapping[str, Any], *, live: bool) -> str:
    """Take in one event whose signature was checked, once; return what was done. Raises reading.Unreadable.

    The event is noted in the transaction of its effect: if that fails, so does the note, and it is sent again.
    """
    identifier, kind = reading.identifier(event), event.get("type")
    created = reading.moment(event.get("created"))
    data = event.get("data")
    about = data.get("object") if isinstance(data, Mapping) else None
    if not (identifier and isinstance(kind, str) and created and isinstance(about, Mapping)):
        raise reading.Unreadable("an event has no id, type, date or object")
    if bool(event.get("livemode")) != live:
        return "not of this mode"
    try:
        with transaction.atomic():
            note = Event.objects.create(
                provider_id=identifier[:100],
                kind=kind[:100],
                created=created,
                about=reading.identifier(about)[:100],
                did="nothing",
            )
            found = reading.news(kind, about, created)
            if found is not None:
                note.did = _apply(*found)
                note.save(update_fields=["did"])
            return note.did
    except IntegrityError:
        if Event.objects.filter(provider_id=identifier[:100]).exists():
            return "seen before"
        raise


def _apply(subscription: str, customer: str, news: Known) -> str:
    person = Customer.objects.filter(provider_id=customer).first()
    if person is None:
        # Deleted accounts end so: the last events come when nobody is left to tell.
        log.warning("an event is about customer %s, whom nobody here is", customer)
        return "nobody's"
    learn(subscription, person, news)
    return "learned"


def parse(payload: bytes) -> Mapping[str, Any]:
    """Return an event's object from its JSON. Raises reading.Unreadable."""
    try:
        event = json.loads(payload)
    except (ValueError, RecursionError):
        raise reading.Unreadable("not JSON") from None
    if not isinstance(event, Mapping):
        raise reading.Unreadable("not an object")
    return event
