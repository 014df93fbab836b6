"""What a phone shows in another way: tables seen whole, the list of sections first, the editor before talk."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.face.site import LAB, LESSON, PREMIUM, Site
from tests.face.walk import PHONE, WIDE

HIDDEN_SIDEWAYS = """tables => tables
    .filter(one => one.parentNode.scrollWidth > one.parentNode.clientWidth + 1).map(one => one.className)"""


@pytest.fixture
def page(browser: Browser, site: Site) -> Iterator[Page]:
    context = site.context(browser, PREMIUM, viewport={"width": PHONE[0], "height": PHONE[1]}, reduced_motion="reduce")
    yield context.new_page()
    context.close()


@pytest.mark.parametrize(
    "path, tables", [("failed", "checks, measured"), ("/account/", "history"), (f"/labs/{LAB}/", "history")]
)
def test_the_tables_of_verdicts_are_seen_whole(page: Page, site: Site, path: str, tables: str) -> None:
    page.goto(site.at.get(path, path))
    chosen = ", ".join(f"table.{name.strip()}" for name in tables.split(","))
    expect(page.locator(chosen)).to_have_count(len(tables.split(",")))
    assert page.eval_on_selector_all(chosen, HIDDEN_SIDEWAYS) == []


def test_the_sections_are_listed_before_the_text_and_lead_there(page: Page) -> None:
    page.goto(f"/lessons/{LESSON}/")
    expect(page.locator(".rail .contents")).to_be_hidden()
    page.locator(".contents-here summary").click()
    page.locator(".contents-here").get_by_text("Key terms").click()
    expect(page.locator("#key-terms")).to_be_in_viewport()
    page.set_viewport_size({"width": WIDE[0], "height": WIDE[1]})
    expect(page.locator(".rail .contents")).to_be_visible()
    expect(page.locator(".contents-here")).to_be_hidden()


def test_a_lab_has_its_editor_before_what_others_say(page: Page) -> None:
    page.goto(f"/labs/{LAB}/")
    top = {name: page.locator(name).bounding_box()["y"] for name in (".statement", ".work", ".beside")}  # type: ignore[index]
    assert top[".statement"] < top[".work"] < top[".beside"]


def test_a_figure_is_drawn_when_it_comes_near(page: Page) -> None:
    page.goto("/lessons/activation-checkpointing/")
    far = page.locator("figure[data-timeline]").last
    expect(far.locator("svg.plot")).to_have_count(1)
    assert far.get_attribute("data-ready") is None
    far.scroll_into_view_if_needed()
    expect(far).to_have_attribute("data-ready", "true")
