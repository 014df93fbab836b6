"""What needs a browser: the box that / opens, results while one types, a note saved meanwhile, a reply in place."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.test import Client
from playwright.sync_api import Browser, Page, expect
from pytest_django.live_server_helper import LiveServer

from accounts.models import User
from courses import drawing
from courses.authoring.build import build_or_raise
from courses.sync import sync
from discussion import markup
from discussion.models import Comment, Thread
from notes.models import Note
from pages import places
from tests.courses.conftest import CONTENT


@pytest.fixture
def page(browser: Browser, live_server: LiveServer, member: User) -> Iterator[Page]:
    """A page of someone with a free account, under the site's content policy."""
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


def test_slash_opens_search_over_any_page_and_leads_on(page: Page) -> None:
    page.goto("/lessons/open-lesson/")
    page.keyboard.press("/")
    box = page.get_by_role("dialog", name="Search")
    expect(box.get_by_role("searchbox")).to_be_focused()
    page.keyboard.type("everyone may r")
    expect(box.get_by_role("link", name="What autograd saves")).to_be_visible()
    assert page.url.endswith("/lessons/open-lesson/")
    page.keyboard.press("Escape")
    expect(box).to_be_hidden()
    page.keyboard.press("/")
    page.keyboard.type("saved tensor")
    page.keyboard.press("Enter")
    page.wait_for_url("**/search/?q=saved+tensor")
    expect(page.get_by_role("heading", name="Search")).to_be_visible()
    expect(page.locator("#results mark").first).to_be_visible()


def test_the_page_of_search_follows_the_typing(page: Page) -> None:
    page.goto("/search/")
    page.get_by_role("searchbox").fill("chekpointing")
    expect(page.locator("#results")).to_contain_text("Activation checkpointing")
    page.wait_for_function("location.search === '?q=chekpointing'")


def test_slash_types_a_slash_where_one_writes(page: Page) -> None:
    page.goto("/lessons/open-lesson/")
    page.locator("#note-text").click()
    page.keyboard.type("a/b")
    assert page.locator("#note-text").input_value() == "a/b"
    expect(page.locator("#search-box")).to_have_count(0)


def test_a_note_is_saved_while_it_is_written_and_a_stale_tab_asks(page: Page) -> None:
    page.goto("/lessons/open-lesson/")
    page.locator("#note-text").fill("first")
    expect(page.get_by_text("Saved, ")).to_be_visible()
    page.locator("#note-text").fill("second")
    expect(page.locator("#note-saved input[name=revision]")).to_have_value("2")
    other = page.context.new_page()
    other.goto("/lessons/open-lesson/")
    other.locator("#note-text").fill("elsewhere")
    expect(other.get_by_text("Saved, ")).to_be_visible()
    page.locator("#note-text").fill("third")
    expect(page.get_by_text("Not saved.")).to_be_visible()
    page.get_by_role("button", name="Keep what is in the field").click()
    expect(page.get_by_text("Your note is saved.")).to_be_visible()
    assert Note.objects.get().text == "third"


def test_a_bookmark_is_set_in_place(page: Page) -> None:
    page.goto("/lessons/open-lesson/")
    page.get_by_role("button", name="Bookmark this page").click()
    expect(page.get_by_role("button", name="Take the bookmark away")).to_be_visible()
    assert Note.objects.get().bookmarked_at


def test_a_reply_is_written_below_its_comment(page: Page, stranger: User) -> None:
    place = places.find("lesson", "open-lesson")
    thread = Thread.objects.create(title="A thread", author=stranger, **place.row)
    first = Comment.objects.create(thread=thread, author=stranger, text="Hello", html=markup.to_html("Hello"))
    page.goto(f"/discussion/{thread.pk}/")
    page.get_by_role("link", name="Reply").click()
    page.get_by_label("Your reply").fill("*Below*, in place.")
    page.get_by_role("button", name="Reply").click()
    expect(page.locator(".d1 em")).to_have_text("Below")
    assert first.replies.get().text == "*Below*, in place."
