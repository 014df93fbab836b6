"""A payment provider for tests: it speaks the part of Stripe's API that `billing.gateway` asks for, shows a page to pay
at and one to manage at, and signs its events.

It is a server of its own, so the site's real client, its errors and its time-outs are what is tested.
"""

from __future__ import annotations

import hashlib
import hmac
import itertools
import json
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from headroom.payments import Payments

SECRET = "whsec_of_the_tests"
DAY = 86_400
GOOD_CARD, DECLINED_CARD = "4242 4242 4242 4242", "4000 0000 0000 0002"


def sign(payload: bytes, secret: str = SECRET, at: float | None = None) -> str:
    """Return the header that proves that the provider sent `payload`."""
    stamp = int(time.time() if at is None else at)
    mac = hmac.new(secret.encode(), f"{stamp}.".encode() + payload, hashlib.sha256).hexdigest()
    return f"t={stamp},v1={mac}"


def subscription(
    identifier: str, customer: str, status: str, start: int, days: int = 30, **given: Any
) -> dict[str, Any]:
    """Return a subscription as the provider describes it, from `start` (seconds since 1970) for `days`."""
    price = {"id": "price_month", "object": "price", "recurring": {"interval": "month"}}
    item = {"price": price, "current_period_start": start, "current_period_end": start + days * DAY}
    empty = {"cancel_at_period_end": False, "cancel_at": None, "ended_at": None}
    found = {"id": identifier, "object": "subscription", "customer": customer, "status": status}
    return {**found, **empty, "items": {"object": "list", "data": [item]}, **given}


def invoice(identifier: str, customer: str, of: str, end: int) -> dict[str, Any]:
    """Return an invoice of a subscription for a period that ends at `end`."""
    return {
        "id": identifier,
        "object": "invoice",
        "customer": customer,
        "parent": {"subscription_details": {"subscription": of}},
        "lines": {"data": [{"period": {"end": end}}]},
    }


def event(identifier: str, kind: str, about: dict[str, Any], created: int, **given: Any) -> dict[str, Any]:
    return {
        "id": identifier, "object": "event", "type": kind, "created": created, "livemode": False,
        "data": {"object": about}, **given,
    }  # fmt: skip


@dataclass
class Provider:
    """The provider's books, and what a test may make it do."""

    url: str = ""
    webhook: str = ""
    """Where it sends its events; nowhere while this is empty."""
    prices: dict[str, dict[str, Any]] = field(default_factory=dict)
    customers: dict[str, dict[str, Any]] = field(default_factory=dict)
    sessions: dict[str, dict[str, Any]] = field(default_factory=dict)
    subscriptions: dict[str, dict[str, Any]] = field(default_factory=dict)
    asked: list[tuple[str, str, dict[str, str]]] = field(default_factory=list)
    """Every request: method, path, fields."""
    fail: tuple[int, dict[str, Any]] | None = None
    """What it answers instead of doing what is asked."""
    answers: list[int] = field(default_factory=list)
    """What the site answered to its events."""
    _numbers: Any = field(default_factory=lambda: itertools.count(1))

    def new(self, kind: str) -> str:
        return f"{kind}_{next(self._numbers)}"

    def payments(self, **given: Any) -> Payments:
        """Return the site's settings for selling through this provider."""
        keys = {"secret_key": "sk_test_of_the_tests", "webhook_secret": SECRET, "api": self.url}
        prices = {"month": "price_month", "year": "price_year"}
        return Payments(**{**keys, "prices": prices, "trial_days": 0, "automatic_tax": True, **given})

    def send(self, kind: str, about: dict[str, Any]) -> None:
        """Tell the site what happened, as the provider does: signed, by POST."""
        if not self.webhook:
            return
        payload = json.dumps(event(self.new("evt"), kind, about, int(time.time()))).encode()
        request = urllib.request.Request(
            self.webhook, payload, {"Stripe-Signature": sign(payload), "Content-Type": "application/json"}
        )
        try:
            with urllib.request.urlopen(request, timeout=10) as answer:
                self.answers.append(answer.status)
        except urllib.error.HTTPError as error:
            self.answers.append(error.code)

    def pay(self, session: dict[str, Any]) -> None:
        """Let the card go through: the subscription begins, and the site is told."""
        now = int(time.time())
        status = "trialing" if session["asked"].get("subscription_data[trial_period_days]") else "active"
        found = subscription(self.new("sub"), session["customer"], status, now)
        self.subscriptions[found["id"]] = found
        session |= {"subscription": found["id"], "status": "complete"}
        self.send("customer.subscription.created", found)
        self.send("checkout.session.completed", {key: value for key, value in session.items() if key != "asked"})
        self.send("invoice.paid", invoice(self.new("in"), session["customer"], found["id"], now + 30 * DAY))

    def end(self, identifier: str) -> None:
        """End a subscription now, and tell the site."""
        now = int(time.time())
        self.subscriptions[identifier] |= {"status": "canceled", "ended_at": now, "canceled_at": now}
        self.send("customer.subscription.deleted", self.subscriptions[identifier])


class _Handler(BaseHTTPRequestHandler):
    provider: Provider

    def log_message(self, *_: Any) -> None:
        pass

    def do_GET(self) -> None:
        self._answer("GET")

    def do_POST(self) -> None:
        self._answer("POST")

    def do_DELETE(self) -> None:
        self._answer("DELETE")

    def _answer(self, method: str) -> None:
        parts = urlsplit(self.path)
        length = int(self.headers.get("Content-Length") or 0)
        fields = dict(parse_qsl(parts.query) + parse_qsl(self.rfile.read(length).decode(), keep_blank_values=True))
        self.provider.asked.append((method, parts.path, fields))
        if parts.path.startswith("/v1/"):
            if self.provider.fail:
                return self._json(*self.provider.fail)
            return self._json(*self._api(method, parts.path.removeprefix("/v1/").split("/"), fields))
        return self._page(method, parts.path.strip("/").split("/"), fields)

    def _api(self, method: str, path: list[str], fields: dict[str, str]) -> tuple[int, dict[str, Any]]:
        books = self.provider
        match (method, path):
            case ("POST", ["customers"]):
                made = {"id": books.new("cus"), "object": "customer", "email": fields["email"]}
                books.customers[made["id"]] = made
                return 200, made
            case ("GET", ["prices", name]):
                return (200, books.prices[name]) if name in books.prices else _missing("price", name)
            case ("POST", ["checkout", "sessions"]):
                return self._checkout(fields)
            case ("GET", ["checkout", "sessions", name]) if name in books.sessions:
                session = dict(books.sessions[name])
                session.pop("asked")
                if fields.get("expand[0]") == "subscription" and session["subscription"]:
                    session["subscription"] = books.subscriptions[session["subscription"]]
                return 200, session
            case ("POST", ["billing_portal", "sessions"]):
                customer = fields["customer"]
                return 200, {
                    "id": books.new("bps"),
                    "object": "billing_portal.session",
                    "url": f"{books.url}/portal/{customer}?back={fields['return_url']}",
                }
            case ("GET", ["subscriptions"]):
                every = list(books.subscriptions.values())
                begin = next((n + 1 for n, each in enumerate(every) if each["id"] == fields.get("starting_after")), 0)
                page = every[begin : begin + 2]
                listing = {"object": "list", "url": "/v1/subscriptions", "data": page}
                return 200, {**listing, "has_more": begin + len(page) < len(every)}
            case ("DELETE", ["subscriptions", name]) if name in books.subscriptions:
                books.end(name)
                return 200, books.subscriptions[name]
        return _missing("object", "/".join(path))

    def _checkout(self, fields: dict[str, str]) -> tuple[int, dict[str, Any]]:
        books, price = self.provider, fields["line_items[0][price]"]
        if price not in books.prices:
            return _missing("price", price)
        identifier = books.new("cs")
        made = {
            "id": identifier, "object": "checkout.session", "mode": "subscription", "status": "open",
            "customer": fields["customer"], "client_reference_id": fields["client_reference_id"],
            "subscription": None, "url": f"{books.url}/pay/{identifier}", "asked": fields,
        }  # fmt: skip
        books.sessions[identifier] = made
        return 200, {key: value for key, value in made.items() if key != "asked"}

    def _page(self, method: str, path: list[str], fields: dict[str, str]) -> None:
        books = self.provider
        match (method, path):
            case ("GET", ["pay", name]):
                return self._html(_PAY.format(problem="", back=books.sessions[name]["asked"]["cancel_url"]))
            case ("POST", ["pay", name]):
                session = books.sessions[name]
                if fields.get("card") != GOOD_CARD:
                    problem = "<p role=alert>Your card was declined.</p>"
                    return self._html(_PAY.format(problem=problem, back=session["asked"]["cancel_url"]))
                books.pay(session)
                return self._redirect(session["asked"]["success_url"].replace("{CHECKOUT_SESSION_ID}", name))
            case ("GET", ["portal", _]):
                return self._html(_PORTAL.format(back=fields["back"]))
            case ("POST", ["portal", customer]):
                for each in books.subscriptions.values():
                    if each["customer"] == customer:
                        books.end(each["id"])
                return self._redirect(fields["back"])
        return self._json(404, {})

    def _json(self, status: int, body: dict[str, Any]) -> None:
        self._write(status, json.dumps(body).encode(), "application/json")

    def _html(self, body: str) -> None:
        self._write(200, f"<!doctype html><html lang=en><title>Pay</title>{body}</html>".encode(), "text/html")

    def _redirect(self, to: str) -> None:
        self.send_response(303)
        self.send_header("Location", to)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def _write(self, status: int, body: bytes, kind: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


_PAY = """<h1>The provider's checkout</h1>{problem}<form method=post><label>Card <input name=card></label>
<button>Pay</button></form><a href="{back}">Back</a>"""
_PORTAL = """<h1>The provider's portal</h1><form method=post><input type=hidden name=back value="{back}">
<button>End the subscription now</button></form>"""


def _missing(kind: str, name: str) -> tuple[int, dict[str, Any]]:
    message = f"No such {kind}: '{name}'"
    return 404, {"error": {"type": "invalid_request_error", "code": "resource_missing", "message": message}}


def _price(identifier: str, interval: str, amount: int) -> dict[str, Any]:
    common = {"object": "price", "active": True, "currency": "eur"}
    return {"id": identifier, "unit_amount": amount, "recurring": {"interval": interval}, **common}


@contextmanager
def running() -> Iterator[Provider]:
    """Start a provider with a monthly and a yearly price; end it."""
    provider = Provider()
    for identifier, interval, amount in (("price_month", "month", 1900), ("price_year", "year", 18_000)):
        provider.prices[identifier] = _price(identifier, interval, amount)
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"provider": provider}))
    server.daemon_threads = True
    provider.url = f"http://127.0.0.1:{server.server_port}"
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    try:
        yield provider
    finally:
        server.shutdown()
        server.server_close()
