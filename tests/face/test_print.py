"""A lesson on paper: its text, figures and questions; nothing to press, and nothing cut off."""

from __future__ import annotations

from playwright.sync_api import Browser, expect

from tests.face.site import LESSON, PREMIUM, Site
from tests.face.walk import too_wide

A4_PX = 718
"""Width of an A4 page at 96 px an inch, less margins of 10 mm."""


def test_a_lesson_prints_what_is_read_and_nothing_that_is_pressed(browser: Browser, site: Site) -> None:
    context = site.context(browser, PREMIUM, viewport={"width": A4_PX, "height": 1000})
    page = context.new_page()
    page.goto(f"/lessons/{LESSON}/")
    # the page is dark on the screen, and paper is white
    page.emulate_media(media="print", color_scheme="dark")
    for hidden in ("header", "footer", ".rail", "#read", "section.talk"):
        expect(page.locator(hidden).first).to_be_hidden()
    pressed = "[...document.querySelectorAll('button, textarea')].filter(one => one.checkVisibility())"
    assert page.evaluate(f"{pressed}.map(one => one.outerHTML)") == []
    for read in ("figure svg", "math", ".quiz-item legend", "pre"):
        expect(page.locator(read).first).to_be_visible()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert too_wide(page, A4_PX) == []
    assert len(page.pdf(format="A4")) > 20_000
    context.close()
