"""The whole site with its real content and catalogue, served on this machine, and people who have used every page."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path

from allauth.usersessions.models import UserSession
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.utils import timezone
from playwright.sync_api import Browser, BrowserContext
from pytest_django.live_server_helper import LiveServer

from accounts.models import User
from courses.models import Lesson, QuizItem
from courses.quizzes import token
from discussion.models import Comment
from grader.verdict import Outcome
from labs.models import Submission
from practice.models import Mock
from tests.labs.conftest import failed_verdict
from tests.support import databases

VISITOR, FREE, PREMIUM, STAFF = "visitor", "free", "premium", "staff"
PASSWORD = "a long passphrase"
LAB = "checkpoint-function"
LESSON, QUESTION, NUMBER = "what-autograd-saves", "when-checkpointing-pays", "kv-bytes-a-token"


@dataclass
class Site:
    """A served site. `at` holds the addresses that only the database knows."""

    url: str
    clients: dict[str, Client]
    at: dict[str, str] = field(default_factory=dict)

    def context(self, browser: Browser, person: str = VISITOR, **options: object) -> BrowserContext:
        """Return a fresh browser context in which `person` is signed in."""
        made = browser.new_context(base_url=self.url, **options)  # type: ignore[arg-type]
        if person != VISITOR:
            session = self.clients[person].cookies["sessionid"].value
            made.add_cookies([{"name": "sessionid", "value": session, "url": self.url}])
        return made

    def join(self, name: str, *, premium: bool = False) -> User:
        """Let someone else in, for a test that writes: a free or a premium account, signed in as `name`."""
        self.clients[name] = _person(name, premium=premium)
        return User.objects.get(email=f"{name}@example.org")


@contextmanager
def served(shared: Path) -> Iterator[Site]:
    """Load the curriculum into the empty test database, let people use it, serve it, and empty the database again.

    The rows are committed, as the server's threads have connections of their own. Loading takes seconds: of the
    processes that share the folder, one does it and the others copy its database.
    """
    settings = connection.settings_dict
    assert settings["NAME"] == settings["TEST"]["NAME"], "this would empty a database that is not the tests' own"
    try:
        people = databases.once(shared / "site", _load)
        databases.restore(people / "database")
        site = Site("", {}, json.loads((people / "at").read_text()))
        for name, cookies in json.loads((people / "cookies").read_text()).items():
            site.clients[name] = Client()
            site.clients[name].cookies.load(cookies)
        server = LiveServer("127.0.0.1")
        try:
            site.url = server.url
            yield site
        finally:
            server.stop()
    finally:
        databases.restore(shared / databases.MIGRATED)


def _load(folder: Path) -> None:
    """Make the site and write down what `served` needs to put it into another process's database."""
    call_command("content", "sync", verbosity=0)
    clients = {VISITOR: Client(), **{each: _person(each, premium=each == PREMIUM) for each in (FREE, PREMIUM, STAFF)}}
    site = Site("", clients)
    _use(site)
    folder.mkdir()
    databases.save(folder / "database")
    (folder / "at").write_text(json.dumps(site.at))
    cookies = {name: {each: one.value for each, one in client.cookies.items()} for name, client in clients.items()}
    (folder / "cookies").write_text(json.dumps(cookies))


def _person(name: str, *, premium: bool = False) -> Client:
    """Return the client of someone who has lately given their password, as the pages of an account ask for."""
    make = User.objects.create_superuser if name == STAFF else User.objects.create_user
    user = make(f"{name}@example.org", PASSWORD, display_name=name.capitalize())
    user.emailaddress_set.create(email=user.email, verified=True, primary=True)
    if premium:
        user.grants.create(until=timezone.now() + timedelta(days=30), reason="test")
    client = Client()
    client.force_login(user)
    assert client.post("/account/reauthenticate/", {"password": PASSWORD}).status_code == 302
    _signed_in_here_and_elsewhere(user, client)
    return client


def _signed_in_here_and_elsewhere(user: User, client: Client) -> None:
    elsewhere = Client()
    elsewhere.force_login(user)
    browser = "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0"
    for one, ip in ((client, "203.0.113.7"), (elsewhere, "2001:db8:85a3::8a2e:370:7334")):
        key = one.session.session_key
        UserSession.objects.update_or_create(session_key=key, defaults={"user": user, "ip": ip, "user_agent": browser})


def _use(site: Site) -> None:
    """Read, answer, talk, submit and practise as the premium member, through the site's own pages."""
    member = User.objects.get(email=f"{PREMIUM}@example.org")
    send = site.clients[PREMIUM].post
    send(f"/lessons/{LESSON}/read/")
    for item in Lesson.objects.get(slug=LESSON).quiz.all():
        send(f"/lessons/{LESSON}/quiz/{item.key}/", _answer(item))
    text = "When activations set the peak, and compute is to spare.\n\n- widest blocks first"
    send(f"/questions/{QUESTION}/answer/", {"text": text, "do": "submit", "revision": 0})
    send(f"/practise/numbers/{NUMBER}/answer/", {"answer": "1 byte"})
    send(f"/notes/lesson/{LESSON}/", {"text": "Softmax keeps its output.", "revision": 0})
    send("/practise/mock/start/", {"track": "", "level": "", "minutes": 30})
    mock = Mock.objects.get()
    send(f"/practise/mock/{mock.pk}/answer/", {"text": text, "position": 1, "revision": 0, "do": "end"})
    site.at["marking"] = f"/practise/mock/{mock.pk}/?mark"
    send(f"/practise/mock/{mock.pk}/mark/", {"point-1": "0"})
    site.at["report"] = f"/practise/mock/{mock.pk}/"
    send("/practise/mock/start/", {"track": "", "level": "", "minutes": 30})
    site.at["asking"] = f"/practise/mock/{Mock.objects.get(finished_at=None).pk}/"
    send(f"/discussion/lesson/{LESSON}/", {"title": "Why is the mask kept?", "text": "It is `bool`, **not** float."})
    comment = Comment.objects.get()
    send(f"/discussion/comments/{comment.pk}/reply/", {"text": "> bool\n\nOne byte each:\n\n```python\nx = 1\n```"})
    site.at["thread"] = f"/discussion/{comment.thread_id}/"
    site.at["edit"] = f"/discussion/comments/{comment.pk}/edit/"
    site.at["delete"] = f"/discussion/comments/{comment.pk}/delete/"
    _submit(site, member)


def _answer(item: QuizItem) -> dict[str, object]:
    """Return a form that every kind of quiz item can read."""
    names = [token(item, number) for number in range(len(item.options))]
    return {"answer": "1", "option": names[:1], **{f"place-{name}": place + 1 for place, name in enumerate(names)}}


def _submit(site: Site, member: User) -> None:
    failed = failed_verdict()
    good = tuple(replace(check, passed=True) for check in failed.checks)
    passed = replace(failed, outcome=Outcome.PASSED, score=1.0, checks=good, message="")
    for name, verdict in {"failed": failed, "passed": passed, "waiting": None}.items():
        one = Submission.objects.create(user=member, lab=LAB, source=b"x = 1\n")
        site.at[name] = f"/labs/submissions/{one.public_id}/"
        if verdict:
            attempt = Submission.objects.claim(one.pk, worker="w").attempt
            Submission.objects.finish(one.pk, attempt, verdict.to_json(), grader_version="1")
