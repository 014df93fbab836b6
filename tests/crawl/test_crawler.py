"""What is locked never leaves the server, and what is open arrives: every address, as every kind of person."""

from __future__ import annotations

import logging
from collections import Counter
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import User
from courses import quizzes
from courses.models import QuizItem
from tests.crawl.addresses import every_address
from tests.crawl.book import FREE, LAPSED, PEOPLE, PREMIUM, STAFF, VISITOR, Book
from tests.crawl.crawler import Crawler
from tests.crawl.plants import plant_all

NOT_THERE = [
    "/no-such-page/",
    "/lessons/no-such/",
    "/labs/no-such/",
    "/questions/no-such/",
    "/sitemap.xml",
    "/robots.txt",
]

AT_LEAST = {"sentences": 150, "addresses": 150, "pages": 100, "found by search": 5}
"""What the walk must at least reach: a crawler that finds nothing would find no leak either."""
SOME = 3
"""Of what a person may find, every third sentence is searched for."""


@dataclass
class Site:
    book: Book
    clients: dict[str, Client]


@pytest.fixture
def site(db: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Site:
    """The planted database, and a client for each kind of person."""
    monkeypatch.setenv("HEADROOM_CATALOG", str(tmp_path))
    people = {name: User.objects.create_user(f"{name}@example.org", "a long passphrase") for name in PEOPLE[1:]}
    now = timezone.now()
    people[PREMIUM].grants.create(until=now + timedelta(days=1), reason="test")
    people[LAPSED].grants.create(until=now - timedelta(days=1), reason="test")
    people[STAFF].is_staff = people[STAFF].is_superuser = True
    people[STAFF].save()
    book = Book(people, User.objects.create_user("someone-else@example.org"), tmp_path)
    plant_all(book)
    # Thousands of addresses are asked for, many are not there, and none of that is news.
    for name in ("django.request", "headroom.request"):
        monkeypatch.setattr(logging.getLogger(name), "disabled", True)
    clients = {VISITOR: Client(), **{name: Client() for name in people}}
    for name, user in people.items():
        clients[name].force_login(user)
        # What asks for the password once more, such as the export, is walked too.
        assert clients[name].post("/account/reauthenticate/", {"password": "a long passphrase"}).status_code == 302
    return Site(book, clients)


@pytest.mark.long
@pytest.mark.timeout(900)
@pytest.mark.parametrize("person", PEOPLE)
def test_every_sentence_reaches_whom_it_is_for_and_nobody_else(
    site: Site, person: str, capsys: pytest.CaptureFixture[str]
) -> None:
    addresses = every_address() + NOT_THERE
    crawler = Crawler(site.clients[person], _baits(site.book, person))
    crawler.walk(addresses)
    faults = _leaks(site.book, person, crawler, before_answering=True)
    crawler.send(_form())
    faults += _leaks(site.book, person, crawler, before_answering=False)
    faults += _missing(site.book, person, crawler)
    with capsys.disabled():
        print(f"\ncrawler: {len(site.book.all)} sentences, {len(addresses)} named addresses")  # noqa: T201
        print(_line(person, crawler))  # noqa: T201
    assert faults == []
    assert _found_by_search(crawler) >= AT_LEAST["found by search"]
    assert person == VISITOR or "/account/data/export/" in crawler.archives
    assert not {status for status in crawler.statuses if status >= 500}
    assert crawler.pages >= AT_LEAST["pages"]
    assert len(site.book.all) >= AT_LEAST["sentences"]
    assert len(addresses) >= AT_LEAST["addresses"]


def _baits(book: Book, person: str) -> list[str]:
    """Return what this person searches for: all that they must not find, and some of what they may."""
    closed = [each.bait for each in book.all if person not in each.must]
    return closed + [each.bait for each in book.all if person in each.must][::SOME]


def _leaks(book: Book, person: str, crawler: Crawler, *, before_answering: bool) -> list[str]:
    marks = book.by_mark()
    return [
        f"{person} was given “{marks[mark].name}” at {sorted(places)[:3]}"
        for mark, places in crawler.seen.items()
        if person not in marks[mark].may
        and (person not in marks[mark].must or (before_answering and marks[mark].after_answering))
    ]


def _missing(book: Book, person: str, crawler: Crawler) -> list[str]:
    return [
        f"{person} found “{each.name}” nowhere"
        for each in book.all
        if person in each.must and each.mark not in crawler.seen
    ]


def _line(person: str, crawler: Crawler) -> str:
    statuses = ", ".join(f"{count} × {status}" for status, count in sorted(crawler.statuses.items()))
    return (
        f"  {person}: {crawler.pages} addresses, {crawler.requests} requests ({statuses}), "
        f"{len(crawler.seen)} sentences found, {_found_by_search(crawler)} of them by search"
    )


def _found_by_search(crawler: Crawler) -> int:
    return sum(any(place.startswith("/search/?") for place in places) for places in crawler.seen.values())


def _form() -> dict[str, object]:
    """One body that every form can read: an answer to each quiz item, a text, code."""
    body: dict[str, object] = {"answer": "1", "text": "My words.", "code": "x = 1\n", "do": "save", "point": "0"}
    chosen = []
    for item in QuizItem.objects.all():
        names = [quizzes.token(item, number) for number in range(len(item.options))]
        chosen += names[:1]
        if item.kind == "ordering":
            body |= {f"place-{name}": place + 1 for place, name in enumerate(names)}
    return body | {"option": chosen}


def test_the_table_of_who_may_open_what_is_the_one_that_is_published() -> None:
    """The crawler's own table, in words: a change of it is a change of what people paid for."""
    from tests.crawl.book import MAY_OPEN

    assert Counter({tier: len(people) for tier, people in MAY_OPEN.items()}) == {"open": 5, "free": 4, "premium": 2}
    assert MAY_OPEN["premium"] == {PREMIUM, STAFF}
    assert FREE in MAY_OPEN["free"] and VISITOR not in MAY_OPEN["free"]
