"""What the provider knows people as, what it told us of their subscriptions, and which of its events we have seen."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import models

from accounts.models import Grant
from billing.state import GOING_ON, Known, Snapshot, State, open_until, state


class Customer(models.Model):
    """A person as the provider knows them."""

    user = models.OneToOneField(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="customer")
    provider_id = models.CharField(max_length=100, unique=True)
    created = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"{self.user} is {self.provider_id}"


class Subscription(models.Model):
    """What is known of one subscription (`billing.state.Known`, a column a field), and the grant that it keeps.

    Written by `billing.receiving.learn` only.
    """

    customer = models.ForeignKey(Customer, on_delete=models.CASCADE, related_name="subscriptions")
    provider_id = models.CharField(max_length=100, unique=True)
    as_of = models.DateTimeField(null=True)
    status = models.CharField(max_length=30, blank=True)
    period_start = models.DateTimeField(null=True)
    period_end = models.DateTimeField(null=True)
    cancel_at = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(null=True)
    price = models.CharField(max_length=100, blank=True)
    interval = models.CharField(max_length=10, blank=True)
    paid_through = models.DateTimeField(null=True)
    failed_at = models.DateTimeField(null=True)
    grant = models.OneToOneField(Grant, null=True, on_delete=models.SET_NULL, related_name="subscription")

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"{self.provider_id} ({self.status or 'no news yet'})"

    @property
    def known(self) -> Known:
        snapshot = None
        if self.as_of is not None:
            snapshot = Snapshot(
                at=self.as_of,
                status=self.status,
                period_start=self.period_start,
                period_end=self.period_end,
                cancel_at=self.cancel_at,
                ended_at=self.ended_at,
                price=self.price,
                interval=self.interval,
            )
        return Known(snapshot, self.paid_through, self.failed_at)

    @known.setter
    def known(self, known: Known) -> None:
        self.paid_through, self.failed_at = known.paid_through, known.failed_at
        if (found := known.snapshot) is not None:
            self.as_of, self.status = found.at, found.status
            for name in ("period_start", "period_end", "cancel_at", "ended_at", "price", "interval"):
                setattr(self, name, getattr(found, name))

    def state(self, now: datetime) -> State:
        return state(self.known, now, settings.PAYMENT_GRACE)

    def goes_on(self, now: datetime) -> bool:
        """Tell whether the provider may still ask for money."""
        return self.state(now) in GOING_ON and self.known.snapshot is not None

    @property
    def open_until(self) -> datetime | None:
        return open_until(self.known, settings.PAYMENT_GRACE)

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Keep the grant in step: it is what `accounts.access` reads."""
        until = self.open_until
        if until is not None:
            values = {"user": self.customer.user, "until": until, "reason": "subscription"}
            if self.grant is None:
                self.grant = Grant.objects.create(**values)
            elif self.grant.until != until:
                Grant.objects.filter(pk=self.grant.pk).update(until=until)
                self.grant.until = until
        super().save(*args, **kwargs)
        if until is None and self.grant is not None:
            self.grant.delete()
            self.grant = None


class Event(models.Model):
    """An event of the provider that was taken in: the second copy of it does nothing."""

    provider_id = models.CharField(max_length=100, unique=True)
    kind = models.CharField(max_length=100)
    created = models.DateTimeField(help_text="When it happened, as the provider says.")
    received = models.DateTimeField(auto_now_add=True)
    about = models.CharField(max_length=100, blank=True, help_text="The provider's id of what it is about.")
    did = models.CharField(max_length=40, help_text="What we did with it.")

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"{self.kind} {self.provider_id}: {self.did}"
