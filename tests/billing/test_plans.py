"""Buying, managing and ending premium against a provider that really answers; and all that may go wrong on the way."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.test import Client

from accounts.access import Person
from accounts.models import User
from billing import comparing, gateway, plans, receiving, subscribing, tasks
from billing.models import Customer, Subscription
from billing.reading import snapshot
from billing.state import Known, State
from tests.accounts.test_pages import PASSWORD, sign_in
from tests.support.payments import DAY, Provider, subscription

pytestmark = pytest.mark.django_db
NO_LONGER = "This price is no longer offered. Nothing was charged."
SILENT = "The payment provider does not answer at the moment. Nothing was charged. Try again in a few minutes."


@pytest.fixture
def as_member(client: Client, member: User) -> Client:
    client.force_login(member)
    return client


def buy(client: Client, interval: str = "month") -> Any:
    return client.post("/plans/checkout/", {"interval": interval})


def known(status: str, days_ago: int, **given: Any) -> Known:
    start = int(time.time()) - days_ago * DAY
    return Known(snapshot(subscription("sub_1", "cus_member", status, start, **given), datetime.now(UTC)))


def test_without_keys_the_page_says_that_billing_is_off(client: Client, as_member: Client) -> None:
    text = client.get("/plans/").text
    assert "Billing is off on this installation" in text and "grant EMAIL --until DATE" in text
    assert "/plans/checkout/" not in text
    refused = buy(as_member)
    assert (refused.status_code, "Billing is off" in refused.text) == (409, True)


def test_the_page_says_what_it_costs(client: Client, provider: Provider, db: None) -> None:
    text = client.get("/plans/").text
    assert "19.00 EUR" in text and "180.00 EUR" in text
    client.get("/plans/")
    assert len([path for _, path, _ in provider.asked if path.startswith("/v1/prices/")]) == 2


def test_paying_opens_premium_at_once_though_no_event_came(provider: Provider, as_member: Client, member: User) -> None:
    onward = buy(as_member, "year")
    assert onward.status_code == 303 and onward.url.startswith(f"{provider.url}/pay/cs_")
    asked = next(fields for _, path, fields in provider.asked if path == "/v1/checkout/sessions")
    assert asked["line_items[0][price]"] == "price_year"
    assert asked["allow_promotion_codes"] == asked["automatic_tax[enabled]"] == "true"
    assert "subscription_data[trial_period_days]" not in asked
    session = next(iter(provider.sessions))
    provider.pay(provider.sessions[session])
    page = as_member.get("/plans/done/", {"session": session})
    assert "Premium is open" in page.text
    assert Person.of(member).premium_at(datetime.now(UTC))
    assert "the next payment is on" in as_member.get("/account/").text


def test_a_trial_is_for_those_who_never_subscribed(provider: Provider, as_member: Client, settings, customer) -> None:
    settings.PAYMENTS = provider.payments(trial_days=14)
    assert "The first 14 days are free" in as_member.get("/plans/").text
    buy(as_member)
    assert provider.asked[-1][2]["subscription_data[trial_period_days]"] == "14"
    receiving.learn("sub_1", customer, known("canceled", 10, ended_at=int(time.time()) - DAY))
    buy(as_member)
    assert "subscription_data[trial_period_days]" not in provider.asked[-1][2]


def test_one_subscription_a_person(provider: Provider, as_member: Client, customer: Customer) -> None:
    receiving.learn("sub_1", customer, known("active", 1))
    refused = buy(as_member)
    assert (refused.status_code, "You have a subscription already." in refused.text) == (409, True)
    assert "/v1/checkout/sessions" not in [path for _, path, _ in provider.asked]


def test_another_persons_checkout_opens_nothing(provider: Provider, as_member: Client, stranger: User) -> None:
    buy(as_member)
    session = next(iter(provider.sessions))
    provider.pay(provider.sessions[session])
    thief = Client()
    thief.force_login(stranger)
    buy(thief)
    assert "Premium is open" not in thief.get("/plans/done/", {"session": session}).text
    assert Person.of(stranger).premium_until is None


def test_managing_leads_to_the_providers_page(provider: Provider, as_member: Client, customer: Customer) -> None:
    onward = as_member.post("/plans/portal/")
    assert onward.url == f"{provider.url}/portal/cus_member?back=http://testserver/account/"


class TestWhatGoesWrong:
    """Each says what happened and what to do, and keeps what was chosen."""

    def chosen(self, response: Any) -> bool:
        return 'value="month" checked' in response.text

    def test_a_price_that_is_gone(self, provider: Provider, as_member: Client) -> None:
        as_member.get("/plans/")  # the page is open, and then the price goes
        del provider.prices["price_month"]
        response = buy(as_member)
        assert response.status_code == 409
        assert NO_LONGER in response.text and self.chosen(response)

    def test_no_price_is_left(self, client: Client, provider: Provider, db: None) -> None:
        provider.prices.clear()
        assert "Premium cannot be bought at the moment" in client.get("/plans/").text

    def test_the_provider_is_down(self, provider: Provider, as_member: Client) -> None:
        provider.fail = (503, {"error": {"type": "api_error", "message": "down"}})
        response = buy(as_member)
        assert response.status_code == 502
        assert SILENT in response.text and self.chosen(response)

    def test_nobody_listens(self, provider: Provider, as_member: Client, settings) -> None:
        settings.PAYMENTS = provider.payments(api="http://127.0.0.1:9")
        response = buy(as_member)
        assert (response.status_code, SILENT in response.text) == (502, True)

    def test_a_card_is_declined(self, provider: Provider, as_member: Client) -> None:
        error = {"type": "card_error", "code": "card_declined", "message": "Your card has insufficient funds."}
        provider.fail = (402, {"error": error})
        response = buy(as_member)
        assert response.status_code == 409
        assert "Your card has insufficient funds. Nothing was charged. Try another card" in response.text
        assert self.chosen(response)

    def test_the_keys_are_wrong(self, provider: Provider, as_member: Client, caplog) -> None:
        provider.fail = (401, {"error": {"type": "invalid_request_error", "message": "Invalid API Key: sk_test_***"}})
        response = buy(as_member)
        assert (response.status_code, "sk_test" in response.text) == (502, False)

    def test_someone_turns_back(self, provider: Provider, as_member: Client) -> None:
        buy(as_member)
        back = provider.asked[-1][2]["cancel_url"].removeprefix("http://testserver")
        response = as_member.get(back)
        assert "You turned back before paying. Nothing was charged" in response.text and self.chosen(response)

    def test_the_session_ends_in_the_middle_of_the_form(self, provider: Provider, member: User, client: Client) -> None:
        away = buy(client)
        assert away.url == "/account/login/?next=%2Fplans%2F%3Finterval%3Dmonth"
        assert "Sign in to go on: your choice is kept." in client.get(away.url).text
        onward = sign_in(client, next="/plans/?interval=month")
        assert self.chosen(client.get(onward.url))

    def test_a_plan_that_does_not_exist(self, provider: Provider, as_member: Client) -> None:
        assert "Choose monthly or yearly." in buy(as_member, "never").text

    def test_the_provider_does_not_tell_yet(self, provider: Provider, as_member: Client, customer: Customer) -> None:
        provider.fail = (500, {})
        assert "does not tell us yet" in as_member.get("/plans/done/", {"session": "cs_1"}).text

    def test_nothing_to_manage(self, provider: Provider, as_member: Client) -> None:
        response = as_member.post("/plans/portal/")
        assert (response.status_code, "no subscription to manage" in response.text) == (409, True)


class TestStanding:
    """What the account page says, in each state."""

    @pytest.mark.parametrize(
        ("news", "sentence", "is_open"),
        [
            (known("trialing", 1), "Your trial runs until", True),
            (known("active", 1), "Paid monthly; the next payment is on", True),
            (known("active", 1, cancel_at=int(time.time()) + DAY), "then it ends; nothing more is charged", True),
            (known("past_due", 2), "Your last payment did not go through", True),
            (known("past_due", 8), "Premium is closed, because a payment did not go through", False),
            (known("paused", 1), "Your subscription is paused", False),
            (known("canceled", 9, ended_at=int(time.time()) - DAY), "Your subscription ended", False),
        ],
    )
    def test_account(
        self, as_member: Client, customer, member: User, news: Known, sentence: str, is_open: bool
    ) -> None:
        receiving.learn("sub_1", customer, news)
        for page in ("/account/", "/plans/"):
            assert sentence in as_member.get(page).text
        assert Person.of(member).premium_at(datetime.now(UTC)) is is_open

    def test_the_grace_is_stated_to_the_day(self, as_member: Client, customer: Customer, settings) -> None:
        settings.PAYMENT_GRACE = timedelta(days=3)
        row = receiving.learn("sub_1", customer, known("past_due", 1))
        until = row.open_until
        assert until and f"Premium stays open until {until.day} {until:%B %Y}" in as_member.get("/account/").text
        assert "Give another card" in as_member.get("/account/").text

    def test_a_grant_outlives_a_subscription(self, as_member: Client, customer: Customer, member: User) -> None:
        member.grants.create(until=datetime(2999, 1, 1, tzinfo=UTC), reason="a prize")
        receiving.learn("sub_1", customer, known("canceled", 9, ended_at=int(time.time()) - DAY))
        assert Person.of(member).premium_at(datetime.now(UTC))


class TestComparing:
    """Once a day the provider's word is taken for every subscription."""

    @pytest.fixture
    def books(self, provider: Provider, customer: Customer) -> Provider:
        """The provider has five subscriptions, of which one is the member's; we have heard of none."""
        for number in range(5):
            whose = "cus_member" if number == 3 else "cus_else"
            provider.subscriptions[f"sub_{number}"] = subscription(f"sub_{number}", whose, "active", int(time.time()))
        return provider

    def test_what_was_never_heard_of_is_learned(self, books: Provider, member: User) -> None:
        assert comparing.compare_all() == {"nobody's": 4, "differed": 1}
        assert Person.of(member).premium_at(datetime.now(UTC))
        assert comparing.compare_all() == {"nobody's": 4, "agreed": 1}

    def test_an_end_that_was_missed_closes(self, books: Provider, member: User) -> None:
        comparing.compare_all()
        books.end("sub_3")
        time.sleep(1)  # the provider's clock has seconds
        assert comparing.compare_all()["differed"] == 1
        assert not Person.of(member).premium_at(datetime.now(UTC))

    def test_what_is_gone_there_is_over(self, books: Provider, customer: Customer, stranger: User) -> None:
        comparing.compare_all()
        other = Customer.objects.create(user=stranger, provider_id="cus_stranger")
        old = Known(
            snapshot(
                subscription("sub_9", "cus_stranger", "active", int(time.time())), datetime(2026, 1, 1, tzinfo=UTC)
            )
        )
        receiving.learn("sub_9", other, old)
        assert comparing.compare_all()["gone"] == 1
        assert Subscription.objects.get(provider_id="sub_9").state(datetime.now(UTC)) is State.ENDED

    def test_the_keys_of_another_account_end_nothing(self, books: Provider, customer: Customer) -> None:
        comparing.compare_all()
        for each in books.subscriptions.values():
            each["customer"] = "cus_else"
        books.subscriptions = {
            f"other_{name}": each | {"id": f"other_{name}"} for name, each in books.subscriptions.items()
        }
        assert "gone" not in comparing.compare_all()
        assert Subscription.objects.get().state(datetime.now(UTC)) is State.ACTIVE

    def test_a_provider_that_is_down_changes_nothing(self, books: Provider, customer: Customer, caplog) -> None:
        comparing.compare_all()
        books.fail = (500, {})
        tasks.compare_with_provider()
        assert "could not be compared" in caplog.text
        assert Subscription.objects.get().state(datetime.now(UTC)) is State.ACTIVE

    def test_it_is_on_the_timetable(self, settings) -> None:
        assert settings.CELERY_BEAT_SCHEDULE["subscriptions"]["task"] == tasks.compare_with_provider.name

    def test_without_keys_it_asks_nobody(self, settings, monkeypatch) -> None:
        asked: list[str] = []
        monkeypatch.setattr(comparing, "compare_all", lambda: asked.append("asked"))
        settings.PAYMENTS = object()
        tasks.compare_with_provider()
        settings.PAYMENTS = None
        tasks.compare_with_provider()
        assert asked == ["asked"], "once with keys, and not without"


class TestDeletingTheAccount:
    def test_ends_the_subscription(self, provider: Provider, client: Client, member: User, customer: Customer) -> None:
        provider.subscriptions["sub_1"] = subscription("sub_1", "cus_member", "active", int(time.time()))
        receiving.learn("sub_1", customer, known("active", 0))
        sign_in(client)
        assert client.post("/account/delete/", {"password": PASSWORD}).url == "/"
        assert provider.subscriptions["sub_1"]["status"] == "canceled"
        assert not User.objects.exists() and not Subscription.objects.exists()

    def test_waits_for_a_provider_that_is_down(self, provider, client, member: User, customer: Customer) -> None:
        receiving.learn("sub_1", customer, known("active", 0))
        provider.fail = (503, {})
        sign_in(client)
        response = client.post("/account/delete/", {"password": PASSWORD})
        assert response.status_code == 422
        assert "Your subscription could not be ended, so nothing was deleted" in response.text
        assert User.objects.filter(pk=member.pk).exists()

    def test_goes_on_where_it_is_gone_already(self, provider, client, member: User, customer: Customer) -> None:
        receiving.learn("sub_1", customer, known("active", 0))
        sign_in(client)
        assert client.post("/account/delete/", {"password": PASSWORD}).url == "/"


@pytest.mark.parametrize(
    ("price", "words"),
    [
        ({"unit_amount": 1900, "currency": "eur"}, "19.00 EUR"),
        ({"unit_amount": 123_456, "currency": "usd"}, "1,234.56 USD"),
        ({"unit_amount": 1900, "currency": "jpy"}, "1,900 JPY"),
        ({"unit_amount": 1900, "currency": "kwd"}, "1.900 KWD"),
        ({"unit_amount": None, "currency": "eur"}, ""),
    ],
)
def test_money_in_words(price: dict[str, Any], words: str) -> None:
    assert plans.money(price) == words


def test_a_customer_is_made_once(provider: Provider, member: User) -> None:
    assert subscribing.customer_of(member) == subscribing.customer_of(member)
    assert len(provider.customers) == 1
    with pytest.raises(gateway.NotThere):
        gateway.price("price_of_nothing")
