"""The only place that speaks to the payment provider (Stripe): small questions, answered with dictionaries.

Whatever goes wrong there comes back as one of the exceptions below, each with a sentence for the person who waits.
The library is imported when it is first needed: most requests never need it.
"""

from __future__ import annotations

import functools
import logging
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from django.conf import settings

log = logging.getLogger(__name__)
TIMEOUT_S = 10.0
TOLERANCE_S = 300
"""How old an event's signature may be, in seconds."""


class ProviderError(Exception):
    """The provider did not do what was asked; the message is for the person who waits."""


class Off(ProviderError):
    """There are no keys."""


class Unreachable(ProviderError):
    """It did not answer, or answered that it cannot now."""


class NotThere(ProviderError):
    """What was asked for does not exist there (any more)."""


class Declined(ProviderError):
    """The card was declined."""


class Forged(Exception):
    """An event's signature is missing, wrong or too old."""


def _translated(function: Callable[..., Any]) -> Callable[..., Any]:
    """Turn the library's exceptions into ours."""

    @functools.wraps(function)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        import stripe

        try:
            return function(*args, **kwargs)
        except stripe.CardError as error:
            reason = error.user_message or "Your card was declined."
            raise Declined(f"{reason} Nothing was charged. Try another card, or ask your bank.") from error
        except stripe.InvalidRequestError as error:
            if error.code == "resource_missing" or error.http_status == 404 or "inactive" in str(error):
                raise NotThere("This is no longer there at the payment provider. Nothing was charged.") from error
            log.error("the payment provider refused a request of ours: %s", error)
            raise ProviderError(
                "The payment provider refused our request. Nothing was charged. It is our fault and has been recorded."
            ) from error
        except stripe.StripeError as error:
            log.error("the payment provider could not be asked: %s", error)
            raise Unreachable(
                "The payment provider does not answer at the moment. Nothing was charged. Try again in a few minutes."
            ) from error

    return wrapped


def keys() -> Any:
    """Return the provider's keys (`headroom.payments.Payments`). Raises Off."""
    if settings.PAYMENTS is None:
        raise Off("Billing is off on this installation.")
    return settings.PAYMENTS


def _client() -> Any:
    import stripe

    found = keys()
    return stripe.StripeClient(
        found.secret_key,
        base_addresses={"api": found.api} if found.api else None,
        max_network_retries=1,
        http_client=stripe.RequestsClient(timeout=TIMEOUT_S),
    )


@_translated
def create_customer(user_id: int, email: str) -> str:
    """Make a customer; return the provider's id. Asked twice for one person it gives the same one for a day."""
    made = _client().v1.customers.create(
        {"email": email, "metadata": {"user": str(user_id)}}, {"idempotency_key": f"customer-{user_id}-{email}"}
    )
    return str(made.id)


@_translated
def checkout(customer: str, price: str, *, success_url: str, cancel_url: str, trial_days: int, user_id: int) -> str:
    """Start a checkout on the provider's page; return its address."""
    subscription: dict[str, Any] = {"metadata": {"user": str(user_id)}}
    if trial_days:
        subscription["trial_period_days"] = trial_days
    asked: dict[str, Any] = {
        "mode": "subscription",
        "customer": customer,
        "client_reference_id": str(user_id),
        "line_items": [{"price": price, "quantity": 1}],
        "allow_promotion_codes": True,
        "subscription_data": subscription,
        "success_url": success_url,
        "cancel_url": cancel_url,
    }
    if keys().automatic_tax:
        # The provider finds the tax from the address that it asks for.
        asked |= {"automatic_tax": {"enabled": True}, "customer_update": {"address": "auto", "name": "auto"}}
    return str(_client().v1.checkout.sessions.create(asked).url)


@_translated
def checkout_session(identifier: str) -> dict[str, Any]:
    """Return a checkout with its subscription put in whole."""
    found = _client().v1.checkout.sessions.retrieve(identifier, {"expand": ["subscription"]})
    return _with_date(found)


@_translated
def portal(customer: str, return_url: str) -> str:
    """Return the address of the provider's page where a customer sees invoices, changes the card, or ends it."""
    return str(_client().v1.billing_portal.sessions.create({"customer": customer, "return_url": return_url}).url)


@_translated
def price(identifier: str) -> dict[str, Any]:
    return _with_date(_client().v1.prices.retrieve(identifier))


@_translated
def cancel(subscription: str) -> dict[str, Any]:
    """End a subscription now; return it as it is then."""
    return _with_date(_client().v1.subscriptions.cancel(subscription))


def subscriptions() -> Iterator[dict[str, Any]]:
    """Give every subscription that the provider has, ended ones too, each with the date of the answer that held it."""
    after: str | None = None
    while True:
        page = _page(after)
        yield from page["data"]
        if not page["has_more"] or not page["data"]:
            return
        after = page["data"][-1]["id"]


@_translated
def _page(after: str | None) -> dict[str, Any]:
    asked = {"status": "all", "limit": 100} | ({"starting_after": after} if after else {})
    page = _with_date(_client().v1.subscriptions.list(asked))
    for each in page["data"]:
        each["as_of"] = page["as_of"]
    return page


def _with_date(answer: Any) -> dict[str, Any]:
    """Return an answer as a dictionary, with `as_of`: when the provider's clock says that it was true."""
    headers = getattr(answer.last_response, "headers", {}) or {}
    try:
        as_of = parsedate_to_datetime(str(headers.get("Date") or headers.get("date"))).astimezone(UTC)
    except (TypeError, ValueError):
        as_of = datetime.now(UTC).replace(microsecond=0)
    return {**answer.to_dict(), "as_of": as_of}


def check_signature(payload: bytes, header: str) -> None:
    """Raise Forged unless the provider signed `payload` within the last minutes."""
    import stripe

    try:
        stripe.WebhookSignature.verify_header(
            payload.decode("utf-8"), header, keys().webhook_secret, tolerance=TOLERANCE_S
        )
    except (stripe.SignatureVerificationError, UnicodeDecodeError) as error:
        raise Forged(str(error)) from error


def as_of(answer: Mapping[str, Any]) -> datetime:
    value = answer["as_of"]
    assert isinstance(value, datetime)
    return value
