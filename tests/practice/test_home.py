"""What other pages show of practising."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts.models import User
from courses.models import Lesson, Question, Track
from practice import progress

pytestmark = pytest.mark.usefixtures("curriculum")


def test_home_says_what_is_due_to_who_has_something_due(as_member: Client, member: User, visitor: Client, reads):
    assert "due today" not in as_member.get("/").content.decode()
    reads(member, "saved-tensors")
    assert "2 reviews due today" in as_member.get("/").content.decode()
    assert "due today" not in visitor.get("/").content.decode()


def test_home_says_how_far_one_has_come_on_each_track(as_member: Client, member: User, visitor: Client, reads):
    reads(member, "saved-tensors")
    as_member.post("/questions/when-it-pays/answer/", {"text": "an answer", "do": "submit"})
    page = as_member.get("/").content.decode()
    assert "Where you were" in page and "Begin here" not in page
    lines = progress.by_track(member)
    assert [line.title for line in lines] == list(Track.objects.order_by("position").values_list("title", flat=True))
    for line in lines:
        assert f'<th scope="row">{line.title}</th>' in page
    assert (sum(line.lessons.done for line in lines), sum(line.questions.done for line in lines)) == (1, 1)
    assert sum(line.lessons.total for line in lines) == Lesson.objects.shown().exclude(track=None).count()
    assert sum(line.questions.total for line in lines) == Question.objects.shown().count()
    done = next(line for line in lines if line.lessons.done)
    assert f'<td class="r">1 of {done.lessons.total}</td>' in page and done.share > 0
    for other in (visitor, Client()):
        assert "Progress by track" not in other.get("/").content.decode()


def test_home_asks_as_often_whatever_there_is_and_whatever_was_done(as_member: Client, member: User, reads):
    def asked() -> int:
        with CaptureQueriesContext(connection) as queries:
            assert "Progress by track" in as_member.get("/").content.decode()
        return len(queries)

    reads(member, "saved-tensors")
    asked()  # the first visit makes the cards of what was read
    few = asked()
    reads(member, "open-lesson")
    track = Track.objects.get(slug=Question.objects.get(slug="when-it-pays").track.slug)
    for number in range(5):
        question = Question.objects.get(slug="when-it-pays")
        question.pk, question.slug = None, f"another-{number}"
        question.save(force_insert=True)
    as_member.post("/questions/when-it-pays/answer/", {"text": "an answer", "do": "submit"})
    User.objects.create_user("another@example.org", "a long passphrase")
    asked()
    assert asked() == few and track.questions.count() >= 6


@pytest.mark.parametrize("page", ["numbertry", "review", "cardstate", "mock"])
def test_staff_can_look_and_change_nothing(client: Client, staff: User, page: str):
    client.force_login(staff)
    assert client.get(f"/staff/practice/{page}/").status_code == 200
    assert client.get(f"/staff/practice/{page}/add/").status_code == 403


@pytest.mark.parametrize("address", ["", "numbers/", "numbers/kv-bytes-a-token/", "review/", "mock/"])
def test_a_visitor_finds_the_way_in(visitor: Client, address: str):
    page = visitor.get(f"/practise/{address}").content.decode()
    assert page.count('href="/practise/"') >= 2 and "<h1>" in page


def test_what_is_not_there_is_not_found(as_member: Client):
    assert as_member.get("/practise/numbers/no-such/").status_code == 404
    assert as_member.post("/practise/numbers/no-such/answer/").status_code == 404
    assert as_member.get("/practise/mock/99/").status_code == 404
