"""What premium costs, as the provider says it now."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.core.cache import cache

from billing import gateway

KEPT_S = 600
WITHOUT_CENTS = {
    "bif",
    "clp",
    "djf",
    "gnf",
    "jpy",
    "kmf",
    "krw",
    "mga",
    "pyg",
    "rwf",
    "vnd",
    "vuv",
    "xaf",
    "xof",
    "xpf",
}
IN_THOUSANDTHS = {"bhd", "jod", "kwd", "omr", "tnd"}


@dataclass(frozen=True)
class Offer:
    """One way to pay. `amount` is empty where the provider could not say; it does at checkout."""

    interval: str
    title: str
    amount: str


def offers() -> list[Offer]:
    """Return what is offered; nothing where billing is off. A price that is gone is not offered."""
    if settings.PAYMENTS is None:
        return []
    found = []
    for interval, title in (("month", "Monthly"), ("year", "Yearly")):
        amount = _amount(settings.PAYMENTS.prices[interval])
        if amount is not None:
            found.append(Offer(interval, title, amount))
    return found


def _amount(price: str) -> str | None:
    """Return a price in words, empty where it is not known now, None where it is no longer offered."""
    key = f"billing:price:{price}"
    kept = cache.get(key)
    if kept is None:
        try:
            found = gateway.price(price)
            kept = {"amount": money(found), "active": bool(found.get("active"))}
        except gateway.NotThere:
            kept = {"amount": "", "active": False}
        except gateway.ProviderError:
            return ""
        cache.set(key, kept, KEPT_S)
    return str(kept["amount"]) if kept["active"] else None


def money(price: dict[str, Any]) -> str:
    """Write an amount in a currency's smallest unit as people read it: 1900, eur is 19.00 EUR."""
    amount, currency = price.get("unit_amount"), str(price.get("currency") or "")
    if not isinstance(amount, int) or not currency:
        return ""
    digits = 0 if currency in WITHOUT_CENTS else 3 if currency in IN_THOUSANDTHS else 2
    return f"{amount / 10**digits:,.{digits}f} {currency.upper()}"
