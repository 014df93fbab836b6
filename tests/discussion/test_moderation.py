"""Reports, hiding, and the staff pages for both."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.utils import timezone

from accounts.models import User
from discussion import moderating
from discussion.models import Comment, Report, Thread
from tests.discussion.conftest import LESSON, client_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("curriculum")]
Says = Callable[..., Comment]
QUEUE = "/staff/discussion/report/"


def report(user: User, comment: Comment, **fields: str) -> int:
    data = {"why": "spam", "words": "Buy <b>this</b>", **fields}
    return client_of(user).post(f"/discussion/comments/{comment.pk}/report/", data).status_code


def test_a_report_waits_for_staff(member: User, stranger: User, staff: User, says: Says) -> None:
    comment = says(stranger, LESSON, "<script>alert(1)</script> BUY")
    assert report(member, comment) == 302
    assert report(member, comment, why="abuse", words="On second thought") == 302
    found = Report.objects.get()
    assert (found.why, found.words, found.state) == ("abuse", "On second thought", "open")
    page = client_of(staff).get(QUEUE).text
    assert "BUY" in page and "On second thought" in page and "<script>alert" not in page
    assert client_of(staff).get(f"{QUEUE}{found.pk}/change/").status_code == 200
    assert client_of(staff).get(f"/staff/discussion/comment/{comment.pk}/change/").status_code == 200
    assert client_of(staff).get("/staff/discussion/thread/").status_code == 200


@pytest.mark.parametrize("fields", [{"why": ""}, {"why": "no-such"}])
def test_a_report_says_what_is_wrong(member: User, stranger: User, says: Says, fields: dict[str, str]) -> None:
    assert report(member, says(stranger, LESSON, "x"), **fields) == 422
    assert not Report.objects.exists()


def test_ones_own_comment_is_not_reported(member: User, says: Says) -> None:
    assert report(member, says(member, LESSON, "x")) == 404


def test_reports_are_limited(member: User, stranger: User, says: Says) -> None:
    statuses = [report(member, says(stranger, LESSON, f"x{number}")) for number in range(7)]
    assert statuses == [302] * 5 + [422] * 2


def test_hiding_from_the_queue(member: User, stranger: User, staff: User, visitor, says: Says) -> None:
    first = says(member, LESSON, "First")
    bad = says(stranger, first, "BAD-WORDS")
    says(member, bad, "An answer")
    alone = says(stranger, first, "BAD-ALONE")
    report(member, bad)
    report(member, alone)
    client = client_of(staff)
    chosen = {"action": "hide", "_selected_action": [str(each.pk) for each in Report.objects.all()]}
    client.post(QUEUE, chosen)
    assert set(Report.objects.values_list("state", "settled_by")) == {("upheld", staff.pk)}
    assert "BAD" not in client.get(QUEUE).text and "BAD" in client.get(f"{QUEUE}?state=upheld").text
    address = f"/discussion/{first.thread_id}/"
    page = visitor.get(address).text
    assert "BAD" not in page and page.count("Hidden by a moderator") == 1 and "An answer" in page
    own = client_of(stranger).get(address).text
    assert "BAD-WORDS" in own and moderating.USUAL in own
    assert "BAD-WORDS" in client.get(address).text
    for act in ("reply", "report"):
        assert client_of(member).get(f"/discussion/comments/{bad.pk}/{act}/").status_code == 404
    client.post("/staff/discussion/comment/", {"action": "show", "_selected_action": [str(bad.pk)]})
    assert "BAD-WORDS" in visitor.get(address).text


def test_a_thread_whose_first_comment_is_hidden_is_gone_for_others(
    member: User, stranger: User, visitor, says: Says
) -> None:
    first = says(stranger, LESSON, "BAD-WORDS", title="BAD-TITLE")
    moderating.hide([first.pk], "Because.", member, timezone.now())
    for address in ("/lessons/open-lesson/", f"/discussion/{LESSON}/", f"/discussion/{first.thread_id}/"):
        assert "BAD" not in visitor.get(address).text
    assert visitor.get(f"/discussion/{first.thread_id}/").status_code == 404
    assert "Because." in client_of(stranger).get(f"/discussion/{first.thread_id}/").text


def test_dismissing(member: User, stranger: User, staff: User, says: Says) -> None:
    report(member, says(stranger, LESSON, "Fine"))
    chosen = {"action": "dismiss", "_selected_action": [str(Report.objects.get().pk)]}
    client_of(staff).post(QUEUE, chosen)
    assert Report.objects.get().state == "dismissed" and not Comment.objects.get().hidden_at


def test_staff_delete_for_good_and_mark_threads(member: User, stranger: User, staff: User, says: Says) -> None:
    first = says(stranger, LESSON, "BAD")
    says(member, first, "Answer")
    client = client_of(staff)
    client.post(f"/staff/discussion/thread/{first.thread_id}/change/", {"spoiler": "on", "_save": "Save"})
    assert Thread.objects.get().spoiler
    client.post("/staff/discussion/comment/", {"action": "take_words_away", "_selected_action": [str(first.pk)]})
    first.refresh_from_db()
    assert first.deleted_at and first.text == ""


def test_the_queue_is_for_staff(member: User) -> None:
    assert client_of(member).get(QUEUE).status_code == 302
