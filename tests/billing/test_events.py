"""Events: signed, each once, in any order; and none that is forged, old or somebody else's does anything."""

from __future__ import annotations

import json
import threading
import time
from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import connections, transaction
from django.test import Client

from accounts.access import Person
from accounts.models import Grant, User
from billing import receiving
from billing.models import Customer, Event, Subscription
from billing.state import State
from tests.support.payments import DAY, SECRET, Provider, event, invoice, sign, subscription

pytestmark = pytest.mark.django_db
START = int(datetime(2026, 6, 1, tzinfo=UTC).timestamp())
END = START + 30 * DAY


UPDATED = "customer.subscription.updated"


def of_member(status: str, start: int = START, **given: Any) -> dict[str, Any]:
    return subscription("sub_1", "cus_member", status, start, **given)


def first_six() -> list[dict[str, Any]]:
    """Return a subscription's first six events: made, checked out, paid, active, and a renewal that fails."""
    session = {
        "id": "cs_1", "object": "checkout.session", "mode": "subscription",
        "customer": "cus_member", "subscription": "sub_1",
    }  # fmt: skip
    return [
        event("evt_1", "customer.subscription.created", of_member("incomplete"), START),
        event("evt_2", "checkout.session.completed", session, START + 2),
        event("evt_3", "invoice.paid", invoice("in_1", "cus_member", "sub_1", END), START + 2),
        event("evt_4", UPDATED, of_member("active"), START + 2),
        event("evt_5", "invoice.payment_failed", invoice("in_2", "cus_member", "sub_1", END + 30 * DAY), END + 3600),
        event("evt_6", UPDATED, of_member("past_due", END), END + 3600),
    ]  # fmt: skip


def post(client: Client, payload: bytes, signature: str | None) -> Any:
    headers = {} if signature is None else {"Stripe-Signature": signature}
    return client.post("/plans/webhook/", payload, content_type="application/json", headers=headers)


def deliver(client: Client, news: dict[str, Any]) -> Any:
    payload = json.dumps(news).encode()
    return post(client, payload, sign(payload))


def ending() -> tuple[Any, ...]:
    """Return all that the events left behind, but for the order of our own rows."""
    row = Subscription.objects.get()
    grants = list(Grant.objects.values_list("user__email", "until", "reason"))
    return row.provider_id, row.known, row.customer.provider_id, grants, Event.objects.count()


@pytest.mark.long
@pytest.mark.timeout(900)
def test_any_order_of_the_first_six_events_reaches_one_end(customer: Customer, capsys) -> None:
    """720 orders; in each of them every event comes again after the next one, and the last at once.

    Orders that begin alike share their beginning: the database goes back to where they part.
    """
    endings: Counter[str] = Counter()

    def play(rest: list[dict[str, Any]], last: dict[str, Any] | None) -> None:
        if not rest:
            assert receiving.take_in(last, live=False) == "seen before"
            endings[repr(ending())] += 1
        for number, news in enumerate(rest):
            parting = transaction.savepoint()
            assert receiving.take_in(news, live=False) == "learned"
            if last is not None:
                assert receiving.take_in(last, live=False) == "seen before"
            play(rest[:number] + rest[number + 1 :], news)
            transaction.savepoint_rollback(parting)
            transaction.savepoint_commit(parting)

    play(first_six(), None)
    with capsys.disabled():
        print(f"\nbilling: {endings.total()} orders of six events, each twice, reached {len(endings)} end")  # noqa: T201
    assert (endings.total(), len(endings)) == (720, 1)


def test_the_one_end_is_the_grace_after_a_failed_renewal(customer: Customer, settings) -> None:
    for news in first_six():
        receiving.take_in(news, live=False)
    row = Subscription.objects.get()
    ended = datetime.fromtimestamp(END, UTC)
    assert row.state(ended + timedelta(days=1)) is State.GRACE
    assert row.open_until == ended + settings.PAYMENT_GRACE == Person.of(customer.user).premium_until
    assert row.failed_at == ended + timedelta(hours=1)


def test_a_signed_event_is_taken_in_once(client: Client, provider: Provider, customer: Customer) -> None:
    news = first_six()[3]
    assert (deliver(client, news).status_code, deliver(client, news).text) == (200, "seen before\n")
    assert Event.objects.get().did == "learned"
    assert Subscription.objects.get().status == "active"
    assert Grant.objects.count() == 1


@pytest.mark.parametrize("signature", ["none", "wrong secret", "other payload", "too old", "nonsense", "from tomorrow"])
def test_an_event_without_a_right_signature_does_nothing(
    client: Client, provider: Provider, customer: Customer, signature: str
) -> None:
    payload = json.dumps(first_six()[3]).encode()
    header = {
        "none": None,
        "wrong secret": sign(payload, "whsec_guessed"),
        "other payload": sign(payload + b" "),
        "too old": sign(payload, at=time.time() - 301),
        "nonsense": "t=now,v1=",
        "from tomorrow": sign(payload, SECRET, time.time() + DAY).replace("v1=", "v0="),
    }[signature]
    response = post(client, payload, header)
    assert (response.status_code, response.text) == (
        400,
        "the signature is missing, wrong or too old: nothing was done\n",
    )
    assert not Event.objects.exists() and not Subscription.objects.exists() and not Grant.objects.exists()


@pytest.mark.parametrize(
    "payload",
    [
        b"", b"[]", b"{", b'"text"', b"\xff\xfe", b'{"id": "evt"}',
        json.dumps(event("evt", UPDATED, {"id": "sub_1", "customer": "cus_member"}, START)).encode(),
        json.dumps(event("evt", UPDATED, of_member("active", 10**18), START)).encode(),
        json.dumps(event("evt", UPDATED, {}, "soon")).encode(),  # type: ignore[arg-type]
    ],
)  # fmt: skip
def test_an_event_that_cannot_be_read_does_nothing(
    client: Client, provider: Provider, customer: Customer, payload: bytes
) -> None:
    response = post(client, payload, sign(payload) if payload != b"\xff\xfe" else "t=1,v1=0")
    assert response.status_code in (400, 422)
    assert not Event.objects.exists() and not Subscription.objects.exists()


def test_an_event_of_real_money_means_nothing_to_test_keys(client: Client, provider, customer: Customer) -> None:
    assert deliver(client, first_six()[3] | {"livemode": True}).text == "not of this mode\n"
    assert not Subscription.objects.exists()


def test_an_event_about_nobody_is_noted_and_opens_nothing(client: Client, provider: Provider, db: None) -> None:
    assert deliver(client, first_six()[3]).text == "nobody's\n"
    assert not Subscription.objects.exists() and not Grant.objects.exists()


def test_an_event_of_another_kind_is_noted(client: Client, provider: Provider, customer: Customer) -> None:
    assert deliver(client, event("evt_9", "charge.refunded", {"id": "ch_1"}, START)).text == "nothing\n"


def test_a_subscription_does_not_move_to_another_customer(client, provider, customer: Customer, stranger: User) -> None:
    Customer.objects.create(user=stranger, provider_id="cus_stranger")
    deliver(client, first_six()[3])
    theirs = event(
        "evt_8", "customer.subscription.updated", subscription("sub_1", "cus_stranger", "active", START), START
    )
    assert deliver(client, theirs).status_code == 422
    assert Subscription.objects.get().customer == customer
    assert Person.of(stranger).premium_until is None


def test_the_end_is_final_whatever_comes_later(client: Client, provider: Provider, customer: Customer) -> None:
    ended = of_member("canceled", ended_at=START + 3 * DAY)
    deliver(client, event("evt_7", "customer.subscription.deleted", ended, START + 3 * DAY))
    for news in first_six():
        deliver(client, news)
    assert Subscription.objects.get().state(datetime.now(UTC)) is State.ENDED
    assert Grant.objects.get().until == datetime.fromtimestamp(START + 3 * DAY, UTC)


def test_a_fault_of_ours_leaves_the_event_to_be_sent_again(client, provider, customer, monkeypatch) -> None:
    def broken(*_: Any) -> None:
        raise RuntimeError("the disk is full")

    client.raise_request_exception = False
    with monkeypatch.context() as patched:
        patched.setattr(receiving, "learn", broken)
        assert deliver(client, first_six()[3]).status_code == 500
    assert not Event.objects.exists()
    assert deliver(client, first_six()[3]).text == "learned\n"


def test_without_keys_there_is_no_such_address(client: Client, db: None) -> None:
    assert deliver(client, first_six()[3]).status_code == 404


@pytest.mark.django_db(transaction=True)
def test_copies_that_arrive_together_count_once(customer: Customer) -> None:
    said: list[str] = []
    barrier = threading.Barrier(6)

    def take_in() -> None:
        barrier.wait()
        try:
            said.append(receiving.take_in(first_six()[3], live=False))
        finally:
            connections.close_all()

    threads = [threading.Thread(target=take_in) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(said) == ["learned"] + ["seen before"] * 5
    assert (Subscription.objects.count(), Grant.objects.count(), Event.objects.count()) == (1, 1, 1)
