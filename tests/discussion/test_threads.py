"""Threads and comments: written, read, edited, deleted, without script."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.db import connection
from django.db.utils import IntegrityError
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts.models import User
from courses.models import Lesson
from discussion import writing
from discussion.limits import Refused
from discussion.models import Comment, Thread
from grader import catalog
from tests.discussion.conftest import FREE, LAB, LESSON, PREMIUM, client_of, passes

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("curriculum")]
PAGES = {LESSON: "/lessons/open-lesson/", FREE: "/lessons/saved-tensors/", LAB: "/labs/kv-cache/"}
FEWER_THAN = 12
Says = Callable[..., Comment]


def start(client: Client, page: str, title: str = "Why so?", text: str = "I *wonder*.", **more: str) -> Thread:
    answer = client.post(f"/discussion/{page}/", {"title": title, "text": text, **more})
    assert answer.status_code == 302, answer.text
    return Thread.objects.get(pk=int(answer.url.split("/")[2]))


@pytest.mark.parametrize("page", PAGES)
def test_a_thread_is_started_read_and_answered(member: User, stranger: User, page: str) -> None:
    thread = start(client_of(member), page)
    other = client_of(stranger)
    assert "Why so?" in other.get(PAGES[page]).text and "Why so?" in other.get(f"/discussion/{page}/").text
    shown = other.get(f"/discussion/{thread.pk}/").text
    assert "<em>wonder</em>" in shown and "<strong>Member</strong>" in shown
    first = thread.comments.get()
    assert other.get(f"/discussion/comments/{first.pk}/reply/").status_code == 200
    answer = other.post(f"/discussion/comments/{first.pk}/reply/", {"text": "Because of `that`."})
    assert answer.url == f"/discussion/{thread.pk}/#c{thread.comments.last().pk}"
    shown = client_of(member).get(f"/discussion/{thread.pk}/").text
    assert "<code>that</code>" in shown and "<strong>Stranger</strong>" in shown
    assert "1 reply" in client_of(member).get(f"/discussion/{page}/").text


def test_nobody_is_called_by_their_address(visitor: Client, says: Says) -> None:
    nameless = User.objects.create_user("private@example.org")
    says(nameless, LESSON, "Hello")
    for address in ("/lessons/open-lesson/", f"/discussion/{LESSON}/", f"/discussion/{Thread.objects.get().pk}/"):
        page = visitor.get(address).text
        assert "private@" not in page and "A learner" in page


def test_a_reply_form_comes_alone_to_htmx(member: User, stranger: User, says: Says) -> None:
    first = says(stranger, LESSON, "Hello")
    part = client_of(member).get(f"/discussion/comments/{first.pk}/reply/", HTTP_HX_REQUEST="true").text
    assert "<form" in part and "<html" not in part


def test_sent_twice_it_is_one(member: User) -> None:
    client = client_of(member)
    assert start(client, LESSON) == start(client, LESSON)
    first = Comment.objects.get()
    for _ in range(2):
        client.post(f"/discussion/comments/{first.pk}/reply/", {"text": "More."})
    assert Comment.objects.count() == 2


@pytest.mark.parametrize(
    ("title", "text", "said"),
    [
        ("", "Text", "Give it a title"),
        ("  \u200b ", "Text", "Give it a title"),
        ("x" * 121, "Text", "121 characters"),
        ("Title", "", "nothing in it"),
        ("Title", " \u202e\n", "nothing in it"),
        ("Title", "x" * 8_001, "8,001 characters"),
    ],
)
def test_what_is_refused_keeps_the_text(member: User, title: str, text: str, said: str) -> None:
    answer = client_of(member).post(f"/discussion/{LESSON}/", {"title": title, "text": text})
    assert answer.status_code == 422 and said in answer.text
    assert not Thread.objects.exists()
    if len(text) > 8_000:
        assert text in answer.text


def test_an_edit_shows_that_it_was_one(member: User, stranger: User, says: Says) -> None:
    comment = says(member, LESSON, "Before")
    client = client_of(member)
    assert ">Before</textarea>" in client.get(f"/discussion/comments/{comment.pk}/edit/").text
    client.post(f"/discussion/comments/{comment.pk}/edit/", {"text": "After **that**", "revision": "1"})
    page = client_of(stranger).get(f"/discussion/{comment.thread_id}/").text
    assert "After <strong>that</strong>" in page and "Before" not in page and "edited" in page
    late = client.post(f"/discussion/comments/{comment.pk}/edit/", {"text": "Late", "revision": "1"})
    assert late.status_code == 422 and ">Late</textarea>" in late.text
    comment.refresh_from_db()
    assert comment.text == "After **that**"


def test_nobody_edits_or_deletes_what_is_another_persons(member: User, stranger: User, staff: User, says: Says) -> None:
    comment = says(member, LESSON, "Mine")
    for user in (stranger, staff):
        client = client_of(user)
        for act in ("edit", "delete"):
            assert client.get(f"/discussion/comments/{comment.pk}/{act}/").status_code == 404
            answer = client.post(f"/discussion/comments/{comment.pk}/{act}/", {"text": "Theirs", "revision": "1"})
            assert answer.status_code == 404
    comment.refresh_from_db()
    assert comment.text == "Mine" and not comment.deleted_at


def test_deleting_leaves_a_stub_where_something_was_answered(member: User, stranger: User, says: Says) -> None:
    first = says(member, LESSON, "FIRST-WORDS", title="FIRST-TITLE")
    answered = says(stranger, first, "Second")
    leaf = says(member, answered, "LEAF-WORDS")
    client = client_of(member)
    assert "Nothing of it is kept" in client.get(f"/discussion/comments/{leaf.pk}/delete/").text
    assert client.post(f"/discussion/comments/{leaf.pk}/delete/").url == f"/discussion/{first.thread_id}/"
    assert not Comment.objects.filter(pk=leaf.pk).exists()
    assert "Others have answered" in client.get(f"/discussion/comments/{first.pk}/delete/").text
    client.post(f"/discussion/comments/{first.pk}/delete/")
    page = client.get(f"/discussion/{first.thread_id}/").text
    assert "FIRST" not in page and "Deleted by its author" in page and "Second" in page and "Member" not in page
    assert "FIRST" not in client.get(f"/discussion/{LESSON}/").text
    stub = Comment.objects.get(pk=first.pk)
    assert (stub.text, stub.html, stub.author) == ("", "", None)


def test_the_last_answer_takes_the_stub_and_the_thread_with_it(member: User, stranger: User, says: Says) -> None:
    first = says(member, LESSON, "First")
    answer = says(stranger, first, "Second")
    client_of(member).post(f"/discussion/comments/{first.pk}/delete/")
    gone = client_of(stranger).post(f"/discussion/comments/{answer.pk}/delete/")
    assert gone.url == f"/discussion/{LESSON}/"
    assert not Thread.objects.exists() and not Comment.objects.exists()


def test_a_stub_cannot_have_words(member: User, says: Says) -> None:
    comment = says(member, LESSON, "Words")
    with pytest.raises(IntegrityError):
        Comment.objects.filter(pk=comment.pk).update(deleted_at=timezone.now())


def test_what_was_deleted_meanwhile_is_not_answered(member: User, stranger: User, says: Says) -> None:
    comment = says(stranger, LESSON, "Gone soon")
    writing.delete(comment, timezone.now())
    with pytest.raises(Refused, match="deleted in the meantime"):
        writing.reply(member, comment, "Late", False, timezone.now())


def test_deleting_an_account_takes_its_words(member: User, stranger: User, says: Says) -> None:
    from accounts import deleting

    first = says(member, LESSON, "MINE-FIRST", title="MINE-TITLE")
    says(member, says(stranger, first, "Theirs"), "MINE-LEAF")
    says(member, LESSON, "MINE-ALONE", title="MINE-TOO")
    deleting.delete(member)
    assert not Comment.objects.filter(text__contains="MINE").exists()
    assert not Thread.objects.filter(title__contains="MINE").exists()
    assert Comment.objects.filter(text="Theirs").exists() and Thread.objects.count() == 1


def test_what_is_written_while_signed_out_comes_along(visitor: Client, member: User, says: Says) -> None:
    answer = visitor.post(f"/discussion/{LESSON}/", {"title": "Kept title", "text": "Kept text"})
    assert answer.url == "/account/login/?next=%2Fdiscussion%2Flesson%2Fopen-lesson%2F%23start"
    comment = says(member, LESSON, "Hello")
    answer = visitor.post(f"/discussion/comments/{comment.pk}/reply/", {"text": "Kept reply"})
    visitor.post("/account/login/", {"login": "member@example.org", "password": "a long passphrase"})
    page = visitor.get(f"/discussion/{LESSON}/").text
    assert 'value="Kept title"' in page and ">Kept text</textarea>" in page
    assert ">Kept reply</textarea>" in visitor.get(f"/discussion/comments/{comment.pk}/reply/").text
    start(visitor, LESSON, "Kept title", "Kept text")
    assert "Kept text" not in visitor.get(f"/discussion/{LESSON}/").text


def test_the_tree_is_written_out_in_order(member: User, says: Says) -> None:
    first = says(member, LESSON, "one")
    two = says(member, first, "two")
    says(member, first, "four")
    says(member, two, "three")
    page = client_of(member).get(f"/discussion/{first.thread_id}/").text
    assert re.findall(r"<p>(one|two|three|four)</p>", page) == ["one", "two", "three", "four"]
    assert re.findall(r'class="comment d(\d)"', page) == ["0", "1", "2", "1"]


def test_older_threads_are_on_the_next_page(member: User, says: Says) -> None:
    for number in range(35):
        says(member, LESSON, "x", title=f"Number {number:02}")
    client = client_of(member)
    assert "Number 34" in client.get(f"/discussion/{LESSON}/").text
    assert "Number 00" in client.get(f"/discussion/{LESSON}/?page=2").text
    for odd in ("0", "-1", "x", "9" * 50, "٣"):
        assert client.get(f"/discussion/{LESSON}/", {"page": odd}).status_code == 200


def test_a_page_that_got_a_new_id_keeps_its_threads(member: User, says: Says) -> None:
    thread = says(member, LESSON, "Hello").thread
    Lesson.objects.filter(slug="open-lesson").update(slug="renamed")
    assert "/lessons/renamed/" in client_of(member).get(f"/discussion/{thread.pk}/").text
    Lesson.objects.filter(slug="renamed").update(retired=True)
    assert client_of(member).get(f"/discussion/{thread.pk}/").status_code == 404


ADDRESSES = [
    "/lessons/open-lesson/", "/questions/when-it-pays/", "/labs/kv-cache/", "/discussion/lab/kv-cache/",
    "/discussion/{thread}/", "/discussion/comments/{comment}/reply/", "/discussion/comments/{comment}/edit/",
    "/discussion/comments/{comment}/delete/", "/discussion/preferences/", "/discussion/comments/{other}/report/",
]  # fmt: skip


@pytest.mark.usefixtures("in_production")
@pytest.mark.parametrize("has_passed", [True, False])
@pytest.mark.parametrize("address", ADDRESSES)
def test_few_queries_however_much_was_said(
    regular: User, stranger: User, says: Says, address: str, has_passed: bool
) -> None:
    regular.grants.create(until=timezone.now() + timedelta(days=1), reason="test")
    if has_passed:
        passes(regular)
    for page in (LESSON, PREMIUM, LAB):
        for number in range(12):
            comment = says((regular, stranger)[number % 2], page, "x", thread_spoiler=page == LAB and number > 9)
            for _ in range(10):
                comment = says(stranger, comment, "y")
    mine = Comment.objects.filter(thread__lab=catalog.get("kv-cache").slug, author=regular, parent=None).first()
    assert mine is not None
    other = mine.replies.get().pk
    address = address.format(thread=mine.thread_id, comment=mine.pk, other=other)
    client = client_of(regular)
    client.get(address)  # the process keeps what is the same for all
    with CaptureQueriesContext(connection) as captured:
        assert client.get(address).status_code == 200
    assert len(captured) < FEWER_THAN, "\n".join(query["sql"][:160] for query in captured)
