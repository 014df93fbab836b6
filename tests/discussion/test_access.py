"""Who reads which discussion: it opens with all of its page, and about solutions to those who have passed."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import User
from discussion.models import Comment, Report, Thread
from tests.discussion.conftest import FREE, LAB, LESSON, PREMIUM, client_of, passes

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("curriculum")]
Says = Callable[..., Comment]
PREMIUM_LESSON = "lesson/checkpointing"
PAGES = {
    LESSON: "/lessons/open-lesson/",
    FREE: "/lessons/saved-tensors/",
    PREMIUM: "/questions/when-it-pays/",
    PREMIUM_LESSON: "/lessons/checkpointing/",
    LAB: "/labs/kv-cache/",
}
# Said here a second time on purpose, not asked of accounts.access.
READERS = {
    LESSON: {"visitor", "free", "lapsed", "premium", "staff"},
    FREE: {"free", "lapsed", "premium", "staff"},
    PREMIUM: {"premium", "staff"},
    PREMIUM_LESSON: {"premium", "staff"},
    LAB: {"free", "lapsed", "premium", "staff"},
}


@pytest.fixture
def people(visitor: Client, member: User, premium: User, staff: User) -> dict[str, Client]:
    lapsed = User.objects.create_user("lapsed@example.org")
    lapsed.grants.create(until=timezone.now() - timedelta(days=1), reason="test")
    signed_in = {"free": member, "lapsed": lapsed, "premium": premium, "staff": staff}
    return {"visitor": visitor, **{name: client_of(user) for name, user in signed_in.items()}}


@pytest.mark.parametrize("who", ["visitor", "free", "lapsed", "premium", "staff"])
@pytest.mark.parametrize("page", PAGES)
def test_a_discussion_opens_with_its_page(
    people: dict[str, Client], stranger: User, says: Says, page: str, who: str
) -> None:
    comment = says(stranger, page, "SAID-HERE", title="TITLE-HERE")
    client, may = people[who], who in READERS[page]
    addresses = [PAGES[page], f"/discussion/{page}/", f"/discussion/{comment.thread_id}/"]
    addresses += [f"/discussion/comments/{comment.pk}/{act}/" for act in ("reply", "edit", "delete", "report")]
    texts = {address: client.get(address) for address in addresses}
    for address in addresses[:3]:
        assert ("-HERE" in texts[address].text) == may, address
    if not may:
        assert not any("-HERE" in answer.text for answer in texts.values())
        assert texts[addresses[1]].url == texts[addresses[2]].url == PAGES[page]


@pytest.mark.parametrize("who", ["visitor", "free", "lapsed"])
def test_nothing_is_written_where_nothing_is_read(people: dict[str, Client], stranger: User, says: Says, who: str):
    comment = says(stranger, PREMIUM, "Hello")
    client = people[who]
    client.post(f"/discussion/{PREMIUM}/", {"title": "A title", "text": "Text"})
    for act in ("reply", "edit", "delete"):
        client.post(f"/discussion/comments/{comment.pk}/{act}/", {"text": "Text", "revision": "1"})
    client.post(f"/discussion/comments/{comment.pk}/report/", {"why": "spam"})
    assert Comment.objects.count() == 1 and not Report.objects.exists()


def test_a_plan_that_ended_closes_ones_own_comments_too(people: dict[str, Client], says: Says) -> None:
    lapsed = User.objects.get(email="lapsed@example.org")
    comment = says(lapsed, PREMIUM, "MY-OWN")
    assert "MY-OWN" not in people["lapsed"].get(f"/discussion/{comment.thread_id}/", follow=True).text


def test_what_is_about_solutions_is_for_those_who_passed(member: User, stranger: User, staff: User, says: Says) -> None:
    asked = says(stranger, LAB, "ABOUT-STATEMENT", title="TITLE-STATEMENT")
    hint = says(stranger, asked, "SPOILER-COMMENT", spoiler=True)
    below = says(stranger, hint, "ANSWER-BELOW")
    solved = says(stranger, LAB, "SPOILER-THREAD", title="SPOILER-TITLE", thread_spoiler=True)
    addresses = ["/labs/kv-cache/", f"/discussion/{LAB}/", f"/discussion/{asked.thread_id}/"]
    addresses += [f"/discussion/{solved.thread_id}/"]
    addresses += [f"/discussion/comments/{each.pk}/{act}/" for each in (hint, solved) for act in ("reply", "report")]

    def seen(user: User) -> str:
        client = client_of(user)
        return "".join(client.get(address).text for address in addresses)

    before = seen(member)
    assert "SPOILER" not in before
    assert "ABOUT-STATEMENT" in before and "ANSWER-BELOW" in before and below
    assert "1 thread about solutions opens" in before and "it opens once you have passed" in before
    assert client_of(member).get(f"/discussion/{solved.thread_id}/").status_code == 404
    passes(member, "another-lab")
    assert "SPOILER" not in seen(member)
    passes(member)
    for user in (member, staff):
        for mark in ("SPOILER-COMMENT", "SPOILER-THREAD", "SPOILER-TITLE"):
            assert mark in seen(user)


def test_a_run_of_the_public_cases_is_not_a_pass(member: User, stranger: User, says: Says) -> None:
    from labs.models import Submission

    says(stranger, LAB, "SPOILER", thread_spoiler=True)
    Submission.objects.create(user=member, lab="kv-cache", source=b"x", state="done", outcome="passed", mode="run")
    assert "SPOILER" not in client_of(member).get(f"/discussion/{Thread.objects.get().pk}/").text


def test_only_who_has_passed_can_write_about_solutions(member: User, stranger: User, says: Says) -> None:
    client = client_of(member)
    assert 'name="spoiler"' not in client.get(f"/discussion/{LAB}/").text
    client.post(f"/discussion/{LAB}/", {"title": "Not yet", "text": "Text", "spoiler": "yes"})
    assert not Thread.objects.get().spoiler
    passes(member)
    assert 'name="spoiler"' in client.get(f"/discussion/{LAB}/").text
    client.post(f"/discussion/{LAB}/", {"title": "Now", "text": "Text", "spoiler": "yes"})
    thread = Thread.objects.get(title="Now")
    assert thread.spoiler
    comment = thread.comments.get()
    client.post(f"/discussion/comments/{comment.pk}/edit/", {"text": "Text", "revision": "1"})
    thread.refresh_from_db()
    assert not thread.spoiler


def test_under_lessons_nothing_is_about_solutions(member: User) -> None:
    client_of(member).post(f"/discussion/{LESSON}/", {"title": "T", "text": "Text", "spoiler": "yes"})
    assert not Thread.objects.get().spoiler


def test_a_thread_marked_by_staff_stays_its_authors(member: User, stranger: User, says: Says) -> None:
    first = says(member, LAB, "MY-WORDS", thread_spoiler=True)
    says(stranger, first, "THEIR-WORDS")
    page = client_of(member).get(f"/discussion/{first.thread_id}/").text
    assert "MY-WORDS" in page and "THEIR-WORDS" not in page


def test_pages_that_are_not_there(member: User) -> None:
    client = client_of(member)
    for address in ("lesson/none", "question/none", "lab/none", "999", "comments/999/reply", "calculator/kv-cache"):
        assert client.get(f"/discussion/{address}/").status_code == 404
