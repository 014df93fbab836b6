"""The payment provider's keys and prices, from environment variables."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from headroom.env import REQUIRED, BadEnvironment, Env

NEEDED = ("STRIPE_WEBHOOK_SECRET", "STRIPE_PRICE_MONTHLY", "STRIPE_PRICE_YEARLY")
CHECKOUT_HOSTS = ("https://checkout.stripe.com", "https://billing.stripe.com")


@dataclass(frozen=True)
class Payments:
    """What it takes to sell premium. `prices` are the provider's ids by interval, `month` and `year`."""

    secret_key: str
    webhook_secret: str
    prices: dict[str, str]
    trial_days: int
    automatic_tax: bool
    api: str
    """Where the provider's API is; empty for its own address. Tests put a server of theirs here."""

    @property
    def live(self) -> bool:
        """Whether real money moves: a test key's events and a live key's do not mix."""
        return "_live_" in self.secret_key

    @property
    def hosts(self) -> tuple[str, ...]:
        """The origins that our forms lead on to."""
        return (self.api,) if self.api else CHECKOUT_HOSTS


def read(env: Env) -> Payments | None:
    """Return the keys, or None where billing is off. Half of them are refused."""
    secret_key = env.text("STRIPE_SECRET_KEY", None, secret=True)
    found = {name: env.text(name, REQUIRED if secret_key else None, secret=True) for name in NEEDED}
    if not secret_key:
        for name, value in found.items():
            if value:
                raise BadEnvironment(
                    f"the environment variable {name} is set without STRIPE_SECRET_KEY; set all or none."
                )
        return None
    return Payments(
        secret_key=secret_key,
        webhook_secret=found["STRIPE_WEBHOOK_SECRET"],
        prices={"month": found["STRIPE_PRICE_MONTHLY"], "year": found["STRIPE_PRICE_YEARLY"]},
        trial_days=env.integer("STRIPE_TRIAL_DAYS", 0, low=0, high=730),
        automatic_tax=env.flag("STRIPE_AUTOMATIC_TAX", True),
        api="",
    )


def grace(env: Env) -> timedelta:
    """Return how long premium stays open after a payment that failed."""
    return timedelta(days=env.integer("PAYMENT_GRACE_DAYS", 7, low=0, high=60))
