"""What billing keeps of a person. Invoices and cards are with the provider, whose page shows them."""

from datetime import datetime, timedelta

from accounts import personal, retention
from billing import subscribing  # noqa: F401  (what it registers: a subscription ends before its account goes)
from billing.models import Customer, Event, Subscription

personal.rows(Customer, "billing/customer", "Your number at the payment provider")
personal.rows(
    Subscription, "billing/subscriptions", "Subscriptions", owner="customer__user", on_deletion="ended, deleted"
)


@retention.rule(
    "billing/events", "What the payment provider told us of a subscription, message by message", timedelta(days=400)
)
def forget_events(before: datetime) -> int:
    return retention.in_batches(Event.objects.filter(received__lt=before))
