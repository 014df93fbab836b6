"""Notes and bookmarks: private, kept, and never overwritten unseen."""

from __future__ import annotations

import threading
from datetime import timedelta

import pytest
from django.db import connection, connections
from django.db.utils import IntegrityError
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts.models import User
from courses.models import Lesson, Question
from grader import catalog
from notes import keeping
from notes.models import Note
from pages import places
from pages.places import Place
from tests.courses.conftest import as_member, curriculum, visitor

__all__ = ["as_member", "curriculum", "visitor"]
pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("curriculum")]
LESSON, QUESTION, LAB = "lesson/open-lesson", "question/when-it-pays", "lab/kv-cache"
PAGES = {LESSON: "/lessons/open-lesson/", QUESTION: "/questions/when-it-pays/", LAB: "/labs/kv-cache/"}
FEWER_THAN = 12


def lesson() -> Place:
    return places.find("lesson", "open-lesson")


@pytest.mark.parametrize("page", PAGES)
def test_a_note_is_written_without_script_and_stands_on_its_page_and_in_the_list(as_member: Client, page: str):
    answer = as_member.post(f"/notes/{page}/", {"text": "Mine: a\r\nb", "revision": "0"})
    assert answer.url == f"{PAGES[page]}#note"
    shown = as_member.get(PAGES[page]).text
    assert ">Mine: a\nb</textarea>" in shown and 'name="revision" value="1"' in shown
    assert "Mine: a<br>b" in as_member.get("/notes/").text


@pytest.mark.parametrize("page", PAGES)
def test_a_bookmark_is_set_and_taken_away(as_member: Client, page: str):
    as_member.post(f"/notes/{page}/bookmark/", {"on": "yes"})
    as_member.post(f"/notes/{page}/bookmark/", {"on": "yes"})
    assert Note.objects.get().bookmarked_at
    assert PAGES[page] in as_member.get("/notes/").text
    assert "Bookmarked" in as_member.get(PAGES[page]).text
    assert as_member.post(f"/notes/{page}/bookmark/", {"on": "no", "from": "list"}).url == "/notes/"
    assert "Nothing yet" in as_member.get("/notes/").text


def test_nobody_else_sees_them_staff_included(as_member: Client, stranger: User, staff: User, visitor: Client):
    as_member.post(f"/notes/{LESSON}/", {"text": "PRIVATE", "revision": "0"})
    for user in (stranger, staff):
        client = Client()
        client.force_login(user)
        for address in ("/notes/", PAGES[LESSON]):
            assert "PRIVATE" not in client.get(address).text
    assert "PRIVATE" not in visitor.get(PAGES[LESSON]).text
    assert visitor.get("/notes/").url == "/account/login/?next=/notes/"


def test_two_tabs_cannot_overwrite_each_other_unseen(as_member: Client):
    as_member.post(f"/notes/{LESSON}/", {"text": "first", "revision": "0"})
    as_member.post(f"/notes/{LESSON}/", {"text": "second", "revision": "1"})
    late = as_member.post(f"/notes/{LESSON}/", {"text": "late", "revision": "1"})
    assert late.status_code == 409
    assert "second" in late.text and ">late</textarea>" in late.text and 'name="revision" value="2"' in late.text
    live = as_member.post(f"/notes/{LESSON}/", {"text": "late", "revision": "1"}, HTTP_HX_REQUEST="true")
    assert live.status_code == 200 and "Not saved" in live.text and "second" in live.text
    assert 'name="revision" value="2"' in live.text
    assert Note.objects.get().text == "second"
    as_member.post(f"/notes/{LESSON}/", {"text": "late", "revision": "2"})
    assert Note.objects.get().text == "late"


def test_the_same_text_twice_is_one_save(member: User):
    keeping.save(member, lesson(), "text", 0)
    assert keeping.save(member, lesson(), "text", 0).revision == 1


def test_a_note_saved_live_says_so_and_counts_on(as_member: Client):
    answer = as_member.post(f"/notes/{LESSON}/", {"text": "live", "revision": "0"}, HTTP_HX_REQUEST="true")
    assert 'name="revision" value="1"' in answer.text and "Saved, " in answer.text and "<html" not in answer.text


def test_a_bookmark_first_and_then_a_note_with_the_revision_that_the_page_had(as_member: Client):
    as_member.post(f"/notes/{LESSON}/bookmark/", {"on": "yes"})
    assert as_member.post(f"/notes/{LESSON}/", {"text": "after", "revision": "0"}).status_code == 302
    note = Note.objects.get()
    assert note.text == "after" and note.bookmarked_at


def test_what_is_written_while_signed_out_comes_along(visitor: Client, member: User):
    answer = visitor.post(f"/notes/{LESSON}/", {"text": "typed before", "revision": "0"})
    assert answer.url == "/account/login/?next=%2Flessons%2Fopen-lesson%2F%23note"
    live = visitor.post(f"/notes/{LESSON}/", {"text": "x", "revision": "3"}, HTTP_HX_REQUEST="true")
    assert "signed out" in live.text and 'name="revision" value="3"' in live.text
    visitor.post("/account/login/", {"login": member.email, "password": "a long passphrase"})
    page = visitor.get(PAGES[LESSON]).text
    assert ">typed before</textarea>" in page and "You were signed out" in page
    visitor.post(f"/notes/{LESSON}/", {"text": "typed before", "revision": "0"})
    assert "You were signed out" not in visitor.get(PAGES[LESSON]).text


def test_a_text_too_long_is_refused_and_stays_in_the_field(as_member: Client):
    answer = as_member.post(f"/notes/{LESSON}/", {"text": "x" * 20_001, "revision": "0"})
    assert answer.status_code == 422 and "20,001" in answer.text and "x" * 20_001 in answer.text
    assert not Note.objects.exists()


def test_what_is_typed_is_text(as_member: Client):
    evil = "</textarea><script>alert(1)</script> \x00 <img src=x onerror=alert(1)>"
    as_member.post(f"/notes/{LESSON}/", {"text": evil, "revision": "0"})
    for address in (PAGES[LESSON], "/notes/"):
        page = as_member.get(address).text
        assert "<script>alert" not in page and "<img src=x" not in page
        assert "&lt;script&gt;alert(1)" in page


def test_notes_outlive_the_plan_the_page_and_its_id(as_member: Client, member: User):
    place = places.find("lesson", "checkpointing")
    keeping.save(member, place, "on premium", 0)
    Lesson.objects.filter(slug="checkpointing").update(slug="renamed")
    page = as_member.get("/notes/").text
    assert "on premium" in page and "/lessons/renamed/" in page
    Lesson.objects.filter(slug="renamed").update(retired=True)
    Note.objects.create(user=member, lab="a-lab-that-was", text="on a lab")
    page = as_member.get("/notes/").text
    assert "on premium" in page and "on a lab" in page and "/lessons/renamed/" not in page


def test_pages_that_are_not_there(as_member: Client):
    for page in ("lesson/no-such", "question/no-such", "lab/no-such", "course/training"):
        assert as_member.post(f"/notes/{page}/", {"text": "x"}).status_code == 404
    assert as_member.get(f"/notes/{LESSON}/").status_code == 405


@pytest.mark.parametrize("fields", [{}, {"lab": "x", "lesson": True}, {"lesson": True, "question": True}])
def test_a_note_hangs_on_exactly_one_page(member: User, fields: dict[str, object]):
    models = {"lesson": Lesson, "question": Question}
    row = {name: value if name == "lab" else models[name].objects.first() for name, value in fields.items()}
    with pytest.raises(IntegrityError):
        Note.objects.create(user=member, **row)


@pytest.mark.usefixtures("in_production")
@pytest.mark.parametrize("address", ["/notes/", *PAGES.values(), "/lessons/checkpointing/"])
def test_few_queries_however_much_is_kept(as_member: Client, member: User, address: str):
    member.grants.create(until=timezone.now() + timedelta(days=1), reason="test")
    for place in [
        *(places.of(each) for each in Lesson.objects.all()),
        *(places.of(each) for each in catalog.all_labs()),
        *(places.of(each) for each in Question.objects.all()),
    ]:
        keeping.save(member, place, "text", 0)
        keeping.bookmark(member, place, True)
    as_member.get(address)  # the process keeps what is the same for all
    with CaptureQueriesContext(connection) as captured:
        assert as_member.get(address).status_code == 200
    assert len(captured) < FEWER_THAN, "\n".join(query["sql"][:160] for query in captured)


@pytest.mark.django_db(transaction=True)
def test_many_tabs_at_once_one_note_and_nothing_lost(member: User):
    """Of saves on the same revision one wins, and the others are told."""
    place, outcomes = lesson(), []
    start = threading.Barrier(4)

    def save(number: int) -> None:
        start.wait()
        try:
            outcomes.append(keeping.save(member, place, f"tab {number}", 0).text)
        except keeping.Conflict:
            outcomes.append("conflict")
        finally:
            connections.close_all()

    threads = [threading.Thread(target=save, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes)[:3] == ["conflict"] * 3
    assert Note.objects.get().text == sorted(outcomes)[3]
