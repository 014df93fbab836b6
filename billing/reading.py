"""Read the provider's objects, as they come in its events and its answers, into what `billing.state` knows.

The shapes are those of the API versions since 2024: the period moved from the subscription to its items in 2025, and an
invoice names its subscription under `parent`. Both are read, since an event has the version of its webhook's making.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from billing.state import Known, Snapshot


class Unreadable(ValueError):
    """The object has not the shape that it must have."""


def moment(value: Any) -> datetime | None:
    """Return a time from seconds since 1970; None stays None. Raises Unreadable."""
    if value is None:
        return None
    if not isinstance(value, int) or isinstance(value, bool):
        raise Unreadable(f"a time is {value!r} and not a number of seconds")
    try:
        return datetime.fromtimestamp(value, UTC)
    except (OverflowError, ValueError, OSError):
        raise Unreadable(f"a time is {value} and outside of the calendar") from None


def identifier(value: Any) -> str:
    """Return the id of an object that may have been put in whole where only its id is expected."""
    if isinstance(value, Mapping):
        value = value.get("id")
    return value if isinstance(value, str) else ""


def snapshot(subscription: Mapping[str, Any], at: datetime) -> Snapshot:
    """Read a subscription. Raises Unreadable."""
    status = subscription.get("status")
    if not isinstance(status, str) or not status:
        raise Unreadable("a subscription has no status")
    item = _first(subscription.get("items"))
    price = _mapping(item.get("price"))
    start = item.get("current_period_start", subscription.get("current_period_start"))
    end = moment(item.get("current_period_end", subscription.get("current_period_end")))
    cancel_at = moment(subscription.get("cancel_at"))
    if subscription.get("cancel_at_period_end") and cancel_at is None:
        cancel_at = end
    return Snapshot(
        at=at,
        status=status[:30],
        period_start=moment(start),
        period_end=end,
        cancel_at=cancel_at,
        ended_at=moment(subscription.get("ended_at")),
        price=identifier(price)[:100],
        interval=str(_mapping(price.get("recurring")).get("interval") or "")[:10],
    )


def _mapping(value: Any) -> Mapping[str, Any]:
    """Return an object inside of another; where something else stands, an empty one."""
    return value if isinstance(value, Mapping) else {}


def _first(listing: Any) -> Mapping[str, Any]:
    data = _mapping(listing).get("data")
    return _mapping(data[0]) if isinstance(data, list) and data else {}


def _paid_through(invoice: Mapping[str, Any]) -> datetime | None:
    """Return the end of the latest period that an invoice is for."""
    data = _mapping(invoice.get("lines")).get("data")
    lines = [_mapping(line) for line in data] if isinstance(data, list) else []
    ends = [moment(_mapping(line.get("period")).get("end")) for line in lines]
    return max((end for end in ends if end), default=None)


def news(kind: str, about: Mapping[str, Any], at: datetime) -> tuple[str, str, Known] | None:
    """Return the subscription's id, its customer's id and what an event says of it; None where it says nothing.

    Raises Unreadable.
    """
    customer = identifier(about.get("customer"))
    if kind.startswith("customer.subscription."):
        return identifier(about), customer, Known(snapshot(about, at))
    if kind in ("invoice.paid", "invoice.payment_failed"):
        details = _mapping(_mapping(about.get("parent")).get("subscription_details"))
        subscription = identifier(about.get("subscription")) or identifier(details.get("subscription"))
        known = Known(paid_through=_paid_through(about)) if kind == "invoice.paid" else Known(failed_at=at)
        return (subscription, customer, known) if subscription else None
    if kind == "checkout.session.completed" and about.get("mode") == "subscription":
        subscription = identifier(about.get("subscription"))
        return (subscription, customer, Known()) if subscription else None
    return None
