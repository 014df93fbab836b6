"""In a browser: from a locked page through the provider's checkout to the lesson, and back to locked after the end."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect
from pytest_django.live_server_helper import LiveServer

from accounts.models import User
from billing.models import Event
from courses import drawing
from courses.authoring.build import build_or_raise
from courses.sync import sync
from tests.courses.conftest import CONTENT
from tests.support.payments import DECLINED_CARD, GOOD_CARD, Provider

LESSON = "/lessons/checkpointing/"
LOCKED, OPEN = "Premium opens the rest of this lesson.", "PREMIUM-SECRET only here."


@pytest.fixture
def page(browser: Browser, live_server: LiveServer, provider: Provider, member: User, settings) -> Iterator[Page]:
    """A page of a visitor, on a site whose provider tells it what happens."""
    sync(build_or_raise(CONTENT, drawing.embedded))
    provider.webhook = f"{live_server.url}/plans/webhook/"
    # The policy is made when the settings are read; these keys came later.
    policy = settings.CONTENT_SECURITY_POLICY["DIRECTIVES"]
    settings.CONTENT_SECURITY_POLICY = {
        "DIRECTIVES": {**policy, "form-action": [*policy["form-action"], *settings.PAYMENTS.hosts]}
    }
    context = browser.new_context(base_url=live_server.url)
    opened = context.new_page()
    faults: list[str] = []
    opened.on("console", lambda message: faults.append(message.text) if message.type == "error" else None)
    yield opened
    context.close()
    # What the content policy refuses is an error here; that the provider's own pages have no icon is not.
    assert [fault for fault in faults if "404" not in fault] == []


def pay_with(page: Page, card: str) -> None:
    page.get_by_label("Card").fill(card)
    page.get_by_role("button", name="Pay").click()


def test_from_a_locked_page_to_the_lesson_and_back(page: Page, provider: Provider, member: User) -> None:
    page.goto(LESSON)
    expect(page.get_by_text(LOCKED)).to_be_visible()
    expect(page.get_by_text(OPEN)).to_have_count(0)

    # The way leads over the plans to the sign-in page, and the choice comes along.
    page.get_by_label("What unlocks the rest").get_by_role("link", name="See the plans").click()
    page.get_by_label("Monthly: 19.00 EUR a month").check()
    page.get_by_role("button", name="Sign in and go on to payment").click()
    page.get_by_label("Email").fill(member.email)
    page.get_by_label("Password").fill("a long passphrase")
    page.get_by_role("button", name="Sign in", exact=True).click()
    expect(page.get_by_label("Monthly: 19.00 EUR a month")).to_be_checked()
    page.get_by_role("button", name="Go on to payment").click()

    # A card that is declined opens nothing, and turning back says so.
    pay_with(page, DECLINED_CARD)
    expect(page.get_by_text("Your card was declined.")).to_be_visible()
    page.get_by_role("link", name="Back").click()
    expect(page.get_by_text("You turned back before paying. Nothing was charged")).to_be_visible()
    page.goto(LESSON)
    expect(page.get_by_text(LOCKED)).to_be_visible()

    page.get_by_label("What unlocks the rest").get_by_role("link", name="See the plans").click()
    page.get_by_label("Monthly: 19.00 EUR a month").check()
    page.get_by_role("button", name="Go on to payment").click()
    pay_with(page, GOOD_CARD)
    expect(page.get_by_role("heading", name="Premium is open")).to_be_visible()
    page.goto(LESSON)
    expect(page.get_by_text(OPEN)).to_be_visible()
    expect(page.get_by_text(LOCKED)).to_have_count(0)

    # Ended on the provider's page, of which the site learns by an event alone.
    page.goto("/account/")
    page.get_by_role("button", name="Invoices, card, ending it").click()
    page.get_by_role("button", name="End the subscription now").click()
    expect(page.get_by_text("Your subscription ended")).to_be_visible()
    page.goto(LESSON)
    expect(page.get_by_text(LOCKED)).to_be_visible()
    expect(page.get_by_text(OPEN)).to_have_count(0)
    assert provider.answers == [200] * 4
    assert set(Event.objects.values_list("did", flat=True)) == {"learned"}
