"""How much one person may write: a table, and the database under load."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from django.db import connections
from django.utils import timezone

from accounts.models import User
from discussion import limits, writing
from discussion.limits import Limit, Refused, too_often
from discussion.models import Act, Comment
from pages import places
from tests.discussion.conftest import LESSON, client_of

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
MINUTE, HOUR = timedelta(minutes=1), timedelta(hours=1)
Says = Callable[..., Comment]


@pytest.mark.parametrize(
    ("acts", "again"),
    [
        ([], None),
        ([NOW - MINUTE], None),
        ([NOW - MINUTE, NOW - 2 * MINUTE], NOW + 58 * MINUTE),
        ([NOW - 2 * HOUR, NOW - MINUTE], None),
        ([NOW - HOUR, NOW - MINUTE], None),
        ([NOW - 2 * HOUR, NOW - 3 * HOUR, NOW - 4 * HOUR], NOW + 20 * HOUR),
        ([NOW - 25 * HOUR, NOW - 3 * HOUR, NOW - 4 * HOUR], None),
    ],
)
def test_too_often(acts: list[datetime], again: datetime | None) -> None:
    assert too_often(Limit(2, 3), acts, NOW) == again


pytestmark = [pytest.mark.django_db]


@pytest.mark.usefixtures("curriculum")
def test_someone_new_writes_five_an_hour_and_is_told_when_to_go_on(member: User) -> None:
    client = client_of(member)
    answers = [client.post(f"/discussion/{LESSON}/", {"title": f"T{n}", "text": "Text"}) for n in range(6)]
    assert [answer.status_code for answer in answers] == [302] * 5 + [422]
    assert "You can go on in 60 minutes" in answers[5].text and ">Text</textarea>" in answers[5].text


@pytest.mark.usefixtures("curriculum")
def test_deleting_gives_nothing_back(member: User) -> None:
    place = places.find(*LESSON.split("/"))
    for number in range(5):
        thread = writing.start(member, place, f"T{number}", "Text", False, timezone.now())
        writing.delete(thread.comments.get(), timezone.now())
    with pytest.raises(Refused):
        writing.start(member, place, "T6", "Text", False, timezone.now())


@pytest.mark.usefixtures("curriculum")
def test_who_is_here_for_a_while_writes_more(regular: User) -> None:
    place = places.find(*LESSON.split("/"))
    for number in range(20):
        writing.start(regular, place, f"T{number}", "Text", False, timezone.now())
    with pytest.raises(Refused):
        writing.start(regular, place, "T21", "Text", False, timezone.now())
    writing.start(regular, place, "T21", "Text", False, timezone.now() + HOUR)


LINKS = "[a](https://a.example) <https://b.example> [c](//c.example)"


@pytest.mark.usefixtures("curriculum")
def test_links_elsewhere_are_few_for_new_people(member: User, says: Says) -> None:
    client, own = client_of(member), "[here](/labs/) [there](#c1) [again](/labs/kv-cache/)"
    answer = client.post(f"/discussion/{LESSON}/", {"title": "T", "text": LINKS})
    assert answer.status_code == 422 and "It holds 3 links" in answer.text and "while you are new" in answer.text
    assert not Act.objects.exists()
    assert (
        client.post(f"/discussion/{LESSON}/", {"title": "T", "text": f"{own} <https://one.example>"}).status_code == 302
    )
    comment = Comment.objects.get()
    sneaky = client.post(f"/discussion/comments/{comment.pk}/edit/", {"text": LINKS, "revision": "1"})
    assert sneaky.status_code == 422


@pytest.mark.usefixtures("curriculum")
def test_links_for_the_others(regular: User) -> None:
    client = client_of(regular)
    assert client.post(f"/discussion/{LESSON}/", {"title": "T", "text": LINKS}).status_code == 302
    assert client.post(f"/discussion/{LESSON}/", {"title": "U", "text": LINKS * 4}).status_code == 422


def test_acts_are_forgotten_after_a_day(member: User) -> None:
    for hours in (1, 25):
        Act.objects.create(user=member, kind="write", at=timezone.now() - hours * HOUR)
    assert limits.forget(timezone.now()) == 1 and Act.objects.count() == 1


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("curriculum")
def test_sent_all_at_once_they_are_counted_one_by_one(member: User) -> None:
    place, outcomes, start = places.find(*LESSON.split("/")), [], threading.Barrier(8)

    def write(number: int) -> None:
        start.wait()
        try:
            writing.start(member, place, f"T{number}", "Text", False, timezone.now())
            outcomes.append("written")
        except Refused:
            outcomes.append("refused")
        finally:
            connections.close_all()

    threads = [threading.Thread(target=write, args=(number,)) for number in range(8)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert sorted(outcomes) == ["refused"] * 3 + ["written"] * 5
    assert Comment.objects.count() == 5
