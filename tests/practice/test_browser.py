"""What needs a browser: the keys of a review, a clock that counts down, an answer checked in place."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.test import Client
from playwright.sync_api import Browser, Page, expect
from pytest_django.live_server_helper import LiveServer

from accounts.models import User
from courses import drawing
from courses.authoring.build import build_or_raise
from courses.models import Answer, Lesson, LessonRead
from courses.sync import sync
from practice.models import NumberTry, Review
from tests.courses.conftest import CONTENT


@pytest.fixture
def page(browser: Browser, live_server: LiveServer, member: User) -> Iterator[Page]:
    """A page of someone with a free account who has read a lesson."""
    sync(build_or_raise(CONTENT, drawing.embedded))
    LessonRead.objects.create(user=member, lesson=Lesson.objects.get(slug="saved-tensors"))
    client = Client()
    client.force_login(member)
    context = browser.new_context(base_url=live_server.url)
    context.add_cookies([{"name": "sessionid", "value": client.cookies["sessionid"].value, "url": live_server.url}])
    opened = context.new_page()
    faults: list[str] = []
    opened.on("console", lambda message: faults.append(message.text) if message.type == "error" else None)
    opened.on("pageerror", lambda error: faults.append(str(error)))
    yield opened
    context.close()
    assert faults == []


def test_a_review_is_done_by_keys_and_taken_back(page: Page) -> None:
    page.goto("/practise/review/")
    expect(page.get_by_text("Kept for backward")).to_have_count(0)
    page.keyboard.press("Space")
    expect(page.get_by_text("Kept for backward")).to_be_visible()
    page.keyboard.press("4")
    expect(page.get_by_text("Quiz item")).to_be_visible()
    assert Review.objects.get().grade == 4
    page.keyboard.press("u")
    expect(page.get_by_text("Taken back.")).to_be_visible()
    assert not Review.objects.exists()


def test_the_keys_can_be_turned_off(page: Page) -> None:
    page.goto("/practise/review/")
    page.evaluate("localStorage.setItem('headroom.keys', 'off')")
    page.keyboard.press("Space")
    page.wait_for_timeout(300)
    expect(page.get_by_text("Kept for backward")).to_have_count(0)


def test_a_number_is_checked_in_place_and_asks_back(page: Page) -> None:
    page.goto("/practise/numbers/kv-bytes-a-token/")
    page.get_by_label("Your answer").fill("1,5 GB")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("two readings")
    page.get_by_label("Your answer").fill("1 byte")
    page.get_by_role("button", name="Check").click()
    expect(page.get_by_text("Not right.")).to_be_visible()
    assert NumberTry.objects.get().typed == "1 byte"


def test_a_clock_counts_down_and_the_text_goes_with_it(page: Page) -> None:
    page.goto("/questions/when-it-pays/")
    page.get_by_label("Say it as you would").fill("When bytes bind.")
    page.get_by_role("button", name="Against the clock").click()
    clock = page.locator("[data-left]")
    expect(clock).to_contain_text("9 min")
    before = clock.inner_text()
    expect(clock).not_to_have_text(before, timeout=3000)
    assert page.get_by_label("Say it as you would").input_value() == "When bytes bind."
    assert Answer.objects.get().timer_started_at
