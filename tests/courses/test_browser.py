"""What needs a browser: saving while writing, quiz feedback in place, a calculator that follows the typing."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.test import Client
from playwright.sync_api import Browser, Page, expect
from pytest_django.live_server_helper import LiveServer

from accounts.models import User
from courses import calculators, drawing, quizzes
from courses.authoring.build import build_or_raise
from courses.models import Answer, QuizItem
from courses.sync import sync
from tests.courses.conftest import CONTENT


@pytest.fixture
def page(browser: Browser, live_server: LiveServer, member: User) -> Iterator[Page]:
    """A page of someone with a free account."""
    sync(build_or_raise(CONTENT, drawing.embedded))
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


def test_an_answer_is_saved_while_it_is_written_and_a_stale_tab_asks(page: Page) -> None:
    page.goto("/questions/when-it-pays/")
    page.get_by_label("Say it as you would").fill("When bytes bind.")
    expect(page.get_by_text("Draft saved")).to_be_visible()
    other = page.context.new_page()
    other.goto("/questions/when-it-pays/")
    other.get_by_label("Say it as you would").fill("From the other tab.")
    expect(other.get_by_text("Draft saved")).to_be_visible()
    page.get_by_label("Say it as you would").fill("When bytes bind, measured.")
    expect(page.get_by_text("Not saved.")).to_be_visible()
    assert page.get_by_label("Say it as you would").input_value() == "When bytes bind, measured."
    page.get_by_role("button", name="Keep what is in the field").click()
    expect(page.get_by_text("Your draft is saved.")).to_be_visible()
    assert Answer.objects.get().text == "When bytes bind, measured."


def test_quiz_feedback_comes_in_place(page: Page) -> None:
    page.goto("/lessons/saved-tensors/")
    item = QuizItem.objects.get(key="kept")
    form = page.locator("#quiz-kept")
    form.locator(f'input[value="{quizzes.token(item, 1)}"]').check()
    form.get_by_role("button", name="Answer").click()
    expect(page.locator("#quiz-kept").get_by_text("QUIZ-EXPLANATION")).to_be_visible()
    assert page.url.endswith("/lessons/saved-tensors/")


def test_a_calculator_follows_the_typing_and_keeps_its_link(page: Page) -> None:
    page.goto("/calculators/time-to-train/")
    page.locator('input[name="devices"]').fill("4096")
    expected = calculators.get("time-to-train").compute({"devices": "4096"}).figures[0].display
    expect(page.locator("[data-figures]")).to_contain_text(expected)
    page.wait_for_function("location.search.includes('devices=4096')")
