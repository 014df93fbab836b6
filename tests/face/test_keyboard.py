"""By keyboard alone: someone signs up, answers a quiz, writes and runs code, and reviews; and sees where they are."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.utils import timezone
from playwright.sync_api import Browser, Page, expect

from accounts.access import Person
from accounts.models import User
from courses.models import Lesson, QuizAttempt, QuizItem
from labs import tasks
from labs.models import Submission
from practice import cards
from practice.models import Review
from tests.face.site import LAB, LESSON, PREMIUM, VISITOR, Site

MOST = 120
"""More presses of Tab than any page needs from its beginning to what is looked for."""

# What has the focus, by name, and whether someone can see that it has: drawn on the screen, with an outline of 2 px.
FOCUSED = """() => {
    const one = document.activeElement;
    if (one === document.body) return {name: "", seen: true};
    const drawn = [one, one.closest(".cm-editor"), one.closest("label")].some(each => {
        const style = each && getComputedStyle(each);
        return style && style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2;
    });
    const box = one.getBoundingClientRect();
    const there = box.width > 0 && box.height > 0 && box.bottom > 0 && box.top < innerHeight && box.right > 0;
    const label = one.labels?.length ? one.labels[0].innerText : "";
    const name = one.getAttribute("aria-label") || label || one.innerText || one.value || one.name || "";
    return {name: name.trim(), seen: drawn && there, html: one.outerHTML.slice(0, 120), id: one.id};
}"""


@pytest.fixture
def open_page(browser: Browser, site: Site) -> Iterator:
    contexts = []

    def opened(path: str, person: str = VISITOR) -> Page:
        contexts.append(site.context(browser, person, reduced_motion="reduce"))
        page = contexts[-1].new_page()
        page.goto(path)
        return page

    yield opened
    for context in contexts:
        context.close()


def look(page: Page) -> dict[str, Any]:
    """Return what has the focus; what is not seen at once is looked for again.

    The editor draws its frame a moment later.
    """
    focused = page.evaluate(FOCUSED)
    for _ in range(10):
        if focused["seen"]:
            break
        page.wait_for_timeout(50)
        focused = page.evaluate(FOCUSED)
    return focused


def tab_to(page: Page, name: str, key: str = "Tab") -> None:
    """Press Tab until what begins with `name` has the focus. On the way every stop must show itself."""
    passed = []
    for _ in range(MOST):
        page.keyboard.press(key)
        focused = look(page)
        passed.append(focused["name"][:40])
        assert focused["seen"], f"the focus cannot be seen on {focused}"
        if focused["name"].startswith(name):
            return
    raise AssertionError(f"{name} is not among {passed}")


def test_the_first_stop_leads_over_the_navigation_to_the_text(open_page) -> None:
    page = open_page(f"/lessons/{LESSON}/")
    tab_to(page, "Skip to the text")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "content"


@pytest.mark.parametrize("path", ["/", "/questions/derive-six-nd/", "/plans/"])
def test_every_stop_of_a_page_shows_itself_and_none_holds_the_focus(open_page, path: str) -> None:
    page = open_page(path)
    stops = []
    for _ in range(MOST):
        page.keyboard.press("Tab")
        focused = look(page)
        assert focused["seen"], focused
        if not focused["name"] and "html" not in focused:
            break
        stops.append(focused["html"])
    else:
        raise AssertionError(f"the focus does not come round: {stops[-5:]}")
    assert len(stops) > 10


def test_someone_signs_up(open_page) -> None:
    page = open_page("/plans/")
    tab_to(page, "Sign up")
    page.keyboard.press("Enter")
    page.wait_for_url("**/account/signup/**")
    tab_to(page, "Email")
    page.keyboard.type("by-keyboard@example.net")
    tab_to(page, "Password")
    page.keyboard.type("a passphrase of five words")
    page.keyboard.press("Enter")
    expect(page.get_by_role("link", name="Account").first).to_be_visible()
    assert User.objects.filter(email="by-keyboard@example.net").exists()


def test_a_quiz_is_answered_and_the_focus_stays_there(open_page, site: Site) -> None:
    user = site.join("quiz-by-keyboard")
    item = QuizItem.objects.filter(lesson__slug=LESSON, kind="single").first()
    # as the link to the quiz does: from there Tab goes on
    page = open_page(f"/lessons/{LESSON}/#quiz-{item.key}", "quiz-by-keyboard")
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    page.keyboard.press("ArrowDown")
    tab_to(page, "Answer")
    page.keyboard.press("Enter")
    expect(page.locator(f"#quiz-{item.key} [role=status]")).to_be_visible()
    assert QuizAttempt.objects.filter(user=user).count() == 1
    expect(page.locator(f"#quiz-{item.key}").get_by_role("button", name="Try again")).to_be_focused()


def test_code_is_written_left_and_run(open_page, site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tasks.grade, "apply_async", lambda *args, **options: None)
    user = site.join("lab-by-keyboard")
    page = open_page(f"/labs/{LAB}/", "lab-by-keyboard")
    tab_to(page, "Your module")
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.type("if True:\n")
    page.keyboard.press("Tab")
    page.keyboard.type("x = 1")
    # in the editor Tab indents; Escape first, and it leaves: forward, and back
    page.keyboard.press("Escape")
    tab_to(page, "Submit")
    tab_to(page, "Your module", "Shift+Tab")
    page.keyboard.press("Escape")
    tab_to(page, "Run")
    page.keyboard.press("Enter")
    page.wait_for_url("**/labs/submissions/*/")
    assert Submission.objects.get(user=user).code.replace("\r\n", "\n").split("x = 1")[0].startswith("if True:\n    ")


def test_four_cards_are_reviewed_with_four_keys(open_page, site: Site) -> None:
    user = site.join("review-by-keyboard", premium=True)
    site.clients["review-by-keyboard"].post(f"/lessons/{LESSON}/read/")
    assert Lesson.objects.filter(reads__user=user).count() == 1
    terms = [key for key in cards.available(user, Person.of(user), timezone.now()) if key.startswith("term:")]
    page = open_page("/practise/review/", "review-by-keyboard")
    for key, term in zip("1234", terms, strict=False):
        page.goto(f"/practise/review/?card={term}")
        page.keyboard.press("Space")
        expect(page.get_by_role("button", name="Again")).to_be_visible()
        page.keyboard.press(key)
        expect(page.get_by_role("button", name="Again")).to_have_count(0)
    assert list(Review.objects.filter(user=user).values_list("grade", flat=True)) == [1, 2, 3, 4]


def test_a_focus_that_cannot_be_seen_is_found(open_page) -> None:
    page = open_page("/plans/", PREMIUM)
    page.evaluate("document.querySelectorAll('footer a').forEach(one => one.style.outline = 'none')")
    with pytest.raises(AssertionError, match="the focus cannot be seen"):
        tab_to(page, "nothing of this name")
