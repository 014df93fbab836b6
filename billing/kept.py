"""What billing keeps of a person. Invoices and cards are with the provider, whose page shows them."""

from accounts import personal
from billing import subscribing  # noqa: F401  (what it registers: a subscription ends before its account goes)
from billing.models import Customer, Subscription

personal.rows(Customer, "billing/customer", "Your number at the payment provider")
personal.rows(
    Subscription, "billing/subscriptions", "Subscriptions", owner="customer__user", on_deletion="ended, deleted"
)
