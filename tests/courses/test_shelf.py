"""What web processes keep of pages is the same for everyone who gets it, and goes when the pages change."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.template import engines
from django.test import Client, RequestFactory
from django.test.utils import CaptureQueriesContext

from accounts.models import User
from courses import drawing, progress, shelf
from courses.authoring.build import build_or_raise
from courses.models import Course, Lesson
from courses.sync import sync
from tests.courses.conftest import CONTENT
from tests.courses.test_access import FREE, LESSON, planted_in

OPEN, FREE_LESSON, PREMIUM_LESSON = "/lessons/open-lesson/", "/lessons/saved-tensors/", "/lessons/checkpointing/"
QUESTION = "/questions/when-it-pays/"
TOKEN = re.compile(r'"X-CSRFToken": "(\w+)"')
NONCE = re.compile(r'name="csp-nonce" content="([^"]+)"')


@pytest.fixture(autouse=True)
def keeping(settings: Any, monkeypatch: pytest.MonkeyPatch, curriculum: None) -> Iterator[None]:
    """As in production, in a process that has just started and that looks at the stamp at every request."""
    settings.PRODUCTION = True
    monkeypatch.setattr(shelf, "STAMP_S", 0.0)
    shelf.forget()
    yield
    shelf.forget()


def load(folder: Path, page: str, old: str, new: str) -> None:
    """Load the curriculum again with something changed."""
    path = next(folder.glob(f"lessons/*{page}.md"))
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new))
    sync(build_or_raise(folder, drawing.embedded))


@pytest.mark.parametrize("address", [OPEN, QUESTION, "/questions/"])
def test_a_second_visitor_costs_the_look_at_the_stamp_alone(visitor: Client, address: str) -> None:
    first = visitor.get(address).content.decode()
    with CaptureQueriesContext(connection) as queries:
        second = Client().get(address).content.decode()
    assert [query["sql"] for query in queries if "courses_course" not in query["sql"]] == []
    assert _anonymous(first) == _anonymous(second)
    assert ("Open text." in second) == (address == OPEN)


def _anonymous(page: str) -> str:
    """Return a page without what names the request."""
    for found in {*TOKEN.findall(page), *NONCE.findall(page)}:
        page = page.replace(found, "")
    return page


def test_a_kept_page_is_what_the_view_makes(settings: Any, visitor: Client, as_premium: Client) -> None:
    cases = [(visitor, OPEN), (visitor, PREMIUM_LESSON), (as_premium, PREMIUM_LESSON)]
    for client, address in [*cases, (visitor, QUESTION), (visitor, "/questions/"), (as_premium, QUESTION)]:
        client.get(address)
        kept = client.get(address).content.decode()
        settings.PRODUCTION = False
        assert _anonymous(client.get(address).content.decode()) == _anonymous(kept)
        settings.PRODUCTION = True


@pytest.mark.parametrize("address", [OPEN, QUESTION])
def test_every_answer_has_its_own_token_and_nonce_and_no_hole(address: str) -> None:
    tokens, nonces = set(), set()
    for _ in range(3):
        response = Client().get(address)
        page = response.content.decode()
        (nonce,) = set(NONCE.findall(page))
        assert f"'nonce-{nonce}'" in response.headers["Content-Security-Policy"]
        tokens |= set(TOKEN.findall(page))
        nonces.add(nonce)
        assert shelf.CSRF not in page and shelf.NONCE not in page
        assert "Cookie" in response.headers["Vary"]
    assert len(tokens) == len(nonces) == 3


def test_the_token_of_a_kept_page_is_good_for_its_own_cookie_and_no_other() -> None:
    Client().get(OPEN)
    one, other = Client(enforce_csrf_checks=True), Client(enforce_csrf_checks=True)
    token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', one.get(OPEN).content.decode())
    assert token
    other.get(OPEN)
    sent = {"csrfmiddlewaretoken": token[1], "option": "none"}
    assert one.post(f"{OPEN}read/", sent).status_code == 302
    assert other.post(f"{OPEN}read/", sent).status_code == 403


def test_a_members_pieces_have_the_members_token(as_member: Client) -> None:
    for _ in range(2):
        page = as_member.get(FREE_LESSON).content.decode()
        values = set(re.findall(r'name="csrfmiddlewaretoken" value="(\w+)"', page)) | set(TOKEN.findall(page))
        assert len(values) == 1 and shelf.CSRF not in page


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (2, 0, 1)])
def test_whoever_came_before_nobody_reads_more_than_is_open_to_them(
    visitor: Client, as_member: Client, as_premium: Client, order: tuple[int, ...]
) -> None:
    people = [(visitor, [], []), (as_member, FREE, []), (as_premium, FREE, LESSON)]
    for _ in range(2):
        for number in order:
            client, free, premium = people[number]
            assert planted_in(client.get(FREE_LESSON)) == free
            assert planted_in(client.get(PREMIUM_LESSON)) == premium


def test_what_one_did_stays_theirs(member: User, as_member: Client, as_premium: Client, visitor: Client) -> None:
    as_member.post("/notes/lesson/open-lesson/", {"text": "MY-NOTE", "revision": 0})
    progress.record_read(member, Lesson.objects.get(slug="open-lesson"))
    item = Lesson.objects.get(slug="open-lesson").quiz.get()
    page = as_member.get(OPEN).content.decode()
    option = re.search(r'name="option" value="(\w+)"', page)
    assert option
    as_member.post(f"{OPEN}quiz/{item.key}/", {"option": option[1]})
    page = as_member.get(OPEN).content.decode()
    assert "MY-NOTE" in page and "VISITOR-EXPLANATION" in page and "You have read this lesson" in page
    for other in (as_premium, visitor, visitor):
        page = other.get(OPEN).content.decode()
        assert "MY-NOTE" not in page and "VISITOR-EXPLANATION" not in page and "You have read this" not in page
        assert '<span class="unseen"> (read)</span>' not in page


def test_a_visitor_with_a_session_gets_their_own_page(visitor: Client) -> None:
    page = visitor.get(OPEN).content.decode()
    option = re.search(r'name="option" value="(\w+)"', page)
    assert option
    visitor.post(f"{OPEN}quiz/first/", {"option": option[1]})
    assert "VISITOR-EXPLANATION" in visitor.get(OPEN).content.decode()
    assert "VISITOR-EXPLANATION" not in Client().get(OPEN).content.decode()


def test_a_page_that_changes_is_shown_as_it_is_now(folder: Path, visitor: Client, as_member: Client) -> None:
    for client in (visitor, as_member):
        assert "Open text." in client.get(OPEN).content.decode()
    load(folder, "open", "Open text.", "Changed text.")
    for client in (visitor, as_member):
        page = client.get(OPEN).content.decode()
        assert "Changed text." in page and "Open text." not in page


def test_a_page_that_is_closed_is_closed_at_once(folder: Path, visitor: Client, as_member: Client) -> None:
    for client in (visitor, as_member):
        client.get(OPEN)
    load(folder, "open", "tier: open", "tier: premium\npreview_sections: 0")
    for client in (visitor, as_member):
        assert "Open text." not in client.get(OPEN).content.decode()


def test_a_retired_page_is_gone(folder: Path, visitor: Client) -> None:
    assert visitor.get(OPEN).status_code == 200
    next(folder.glob("lessons/*open.md")).unlink()
    sync(build_or_raise(folder, drawing.embedded))
    assert visitor.get(OPEN).status_code == 404


def test_the_discussion_of_a_visitors_page_is_read_again(
    monkeypatch: pytest.MonkeyPatch, visitor: Client, as_member: Client
) -> None:
    monkeypatch.setattr(shelf, "PAGE_S", -1.0)
    visitor.get(OPEN)
    as_member.post("/discussion/lesson/open-lesson/", {"title": "A fresh thread", "text": "words"})
    assert "A fresh thread" in as_member.get(OPEN).content.decode()
    assert "A fresh thread" in visitor.get(OPEN).content.decode()


def test_the_stamp_follows_the_content_and_nothing_else(tmp_path: Path) -> None:
    def stamp() -> str:
        return Course.objects.get().stamp

    before = stamp()
    sync(build_or_raise(CONTENT, drawing.embedded))
    assert before and stamp() == before
    load(Path(shutil.copytree(CONTENT, tmp_path / "content")), "open", "An open lesson", "A renamed lesson")
    assert stamp() != before


def test_what_is_made_while_the_curriculum_changes_is_not_kept() -> None:
    def make() -> str:
        Course.objects.update(stamp="new")
        return "old"

    assert shelf.kept("thing", make) == "old"
    assert shelf.kept("thing", lambda: "fresh") == "fresh"


def test_nothing_is_kept_while_someone_writes(settings: Any) -> None:
    settings.PRODUCTION = False
    assert shelf.kept("thing", lambda: 1) == 1
    assert shelf.kept("thing", lambda: 2) == 2


def test_a_kept_part_does_not_know_who_asks(member: User) -> None:
    request = RequestFactory().get("/somewhere/")
    request.user = member
    text = (
        '{% load keeping %}{% kept "a" 1 %}[{{ request.path }}{{ user }}{{ messages }}]{% endkept %}{{ request.path }}'
    )
    assert engines["django"].from_string(text).render({}, request) == "[None()]/somewhere/"
