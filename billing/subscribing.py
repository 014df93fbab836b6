"""What a person does about their subscription: start one, come back from paying, look after it, end it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import IntegrityError
from django.utils import timezone

from accounts import personal
from accounts.models import User
from billing import gateway, reading, receiving
from billing.models import Customer, Subscription
from billing.state import Known


class NotNow(Exception):
    """The person cannot do this; the message says why and what to do."""


def current(user: Any) -> Subscription | None:
    """Return the subscription that counts for a person: one that still goes on, else the last; None without any."""
    now = timezone.now()
    found = [each for each in Subscription.objects.filter(customer__user=user) if each.known.snapshot is not None]
    going_on = [each for each in found if each.goes_on(now)]
    return next(iter(going_on or found), None)


@dataclass(frozen=True)
class Standing:
    """Where someone stands with their subscription, for the pages that say so."""

    state: str
    row: Subscription
    goes_on: bool


def standing(user: Any, now: datetime) -> Standing | None:
    """Return where a person stands at `now`; None for a visitor and for whoever never subscribed."""
    row = current(user) if user.is_authenticated else None
    return Standing(row.state(now).value, row, row.goes_on(now)) if row else None


def customer_of(user: User) -> Customer:
    """Return the provider's customer for a person, made there when it is first needed. Raises ProviderError."""
    known = Customer.objects.filter(user=user).first()
    if known is not None:
        return known
    provider_id = gateway.create_customer(user.pk, user.email)
    try:
        return Customer.objects.get_or_create(user=user, defaults={"provider_id": provider_id})[0]
    except IntegrityError:
        return Customer.objects.get(user=user)


def start(user: User, interval: str, *, success_url: str, cancel_url: str) -> str:
    """Return the address of the page to pay at. Raises NotNow, ProviderError."""
    keys = settings.PAYMENTS
    if keys is None:
        raise gateway.Off("Billing is off on this installation.")
    if interval not in keys.prices:
        raise NotNow("Choose monthly or yearly.")
    before = current(user)
    if before is not None and before.goes_on(timezone.now()):
        raise NotNow("You have a subscription already. Change it, or end it, where you manage it.")
    try:
        return str(
            gateway.checkout(
                customer_of(user).provider_id,
                keys.prices[interval],
                success_url=success_url,
                cancel_url=cancel_url,
                # A trial is for those who never had a subscription.
                trial_days=0 if before else keys.trial_days,
                user_id=user.pk,
            )
        )
    except gateway.NotThere:
        raise gateway.NotThere(
            "This price is no longer offered. Nothing was charged. Choose the other one, or come back later: "
            "whoever runs this site has been told."
        ) from None


def come_back(user: User, session: str) -> Subscription | None:
    """Learn from the provider what became of a checkout, without waiting for its events. Raises ProviderError."""
    customer = Customer.objects.filter(user=user).first()
    if customer is None or not session:
        return None
    found = gateway.checkout_session(session)
    subscription = found.get("subscription")
    if reading.identifier(found.get("customer")) != customer.provider_id or not isinstance(subscription, dict):
        return None
    news = Known(reading.snapshot(subscription, gateway.as_of(found)))
    return receiving.learn(reading.identifier(subscription), customer, news)


@personal.before_deletion
def end_at_once(user: User) -> None:
    """End a person's subscriptions before their account goes. Raises CannotDelete."""
    now = timezone.now()
    for subscription in Subscription.objects.filter(customer__user=user):
        if not subscription.goes_on(now):
            continue
        try:
            answer = gateway.cancel(subscription.provider_id)
        except gateway.NotThere:
            continue
        except gateway.ProviderError as error:
            raise personal.CannotDelete(
                "Your subscription could not be ended, so nothing was deleted: you would have gone on paying. "
                f"{error} Then delete the account again."
            ) from error
        learned = Known(reading.snapshot(answer, gateway.as_of(answer)))
        receiving.learn(subscription.provider_id, subscription.customer, learned)
