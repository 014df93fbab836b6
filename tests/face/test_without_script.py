"""With scripts turned off: a lesson is read, a quiz answered, a file handed in, and a verdict read."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from courses.models import QuizAttempt, QuizItem
from courses.quizzes import token
from labs import tasks
from labs.models import Mode, Submission
from tests.face.site import LAB, LESSON, PREMIUM, VISITOR, Site
from tests.face.walk import PHONE

SOURCE = "def checkpoint(function, *args):\n    return function(*args)  # naïve: \N{GREEK SMALL LETTER ALPHA}\n"


@pytest.fixture
def open_page(browser: Browser, site: Site) -> Iterator:
    """A function that opens a page of a person on a phone without script."""
    contexts: list[BrowserContext] = []

    def opened(path: str, person: str = VISITOR) -> Page:
        viewport = {"width": PHONE[0], "height": PHONE[1]}
        contexts.append(site.context(browser, person, java_script_enabled=False, viewport=viewport))
        page = contexts[-1].new_page()
        page.goto(site.at.get(path, path))
        return page

    yield opened
    for context in contexts:
        context.close()


def test_a_lesson_is_read_with_its_formulas_figures_and_menu(open_page) -> None:
    page = open_page(f"/lessons/{LESSON}/")
    expect(page.get_by_role("heading", name="The problem")).to_be_visible()
    expect(page.locator("main math").first).to_be_visible()
    expect(page.locator("figure svg").first).to_be_visible()
    page.get_by_text("The same in numbers").first.click()
    expect(page.locator("figure table").first).to_be_visible()
    page.get_by_text("Menu", exact=True).click()
    page.get_by_role("navigation", name="Menu").get_by_role("link", name="Labs").click()
    expect(page.get_by_role("heading", name="Labs", exact=True)).to_be_visible()


def test_a_calculator_computes(open_page) -> None:
    page = open_page("/calculators/time-to-train/")
    before = page.locator("[data-figures]").inner_text()
    page.locator("input[name=devices]").fill("4096")
    page.locator("input[name=devices]").press("Enter")
    page.wait_for_url("**devices=4096**")
    assert page.locator("[data-figures]").inner_text() != before


def test_a_quiz_is_answered(open_page, site: Site) -> None:
    user = site.join("quiz-without-script")
    item = QuizItem.objects.filter(lesson__slug=LESSON, kind="single").first()
    right = next(number for number, option in enumerate(item.options) if option["right"])
    page = open_page(f"/lessons/{LESSON}/", "quiz-without-script")
    form = page.locator(f"#quiz-{item.key}")
    form.locator(f'input[value="{token(item, right)}"]').check()
    form.get_by_role("button", name="Answer").click()
    expect(page.locator(f"#quiz-{item.key}").get_by_text("Right.", exact=True).first).to_be_visible()
    assert QuizAttempt.objects.get(user=user).score == 1.0


def test_a_file_is_handed_in_byte_for_byte_and_its_page_waits(
    open_page, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tasks.grade, "apply_async", lambda *args, **options: None)
    user = site.join("file-without-script")
    page = open_page(f"/labs/{LAB}/", "file-without-script")
    page.get_by_text("Send a file instead").click()
    file = {"name": "mine.py", "mimeType": "text/x-python", "buffer": SOURCE.encode()}
    page.get_by_label("A Python file of at most").set_input_files(file)
    page.get_by_role("button", name="Submit", exact=True).click()
    page.wait_for_url("**/labs/submissions/*/")
    sent = Submission.objects.get(user=user)
    assert (bytes(sent.source), sent.mode) == (SOURCE.encode(), Mode.SUBMIT)
    expect(page.get_by_role("heading", name="Grading your submission")).to_be_visible()
    # The page asks again by itself; a test cannot wait for it, as the page never stops.
    assert page.locator("meta[http-equiv=refresh]").count() == 1


def test_a_verdict_is_read_with_its_picture(open_page) -> None:
    page = open_page("failed", PREMIUM)
    expect(page.locator("p.verdict strong")).to_have_text("Not passed")
    expect(page.locator("figure[data-timeline] svg").first).to_be_visible()
    page.get_by_text("The same as a table").first.click()
    expect(page.locator("table.moments")).to_be_visible()
