"""Mails about replies: to whom, when, once, and with nothing in them that could be closed."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.core import mail
from django.test import Client
from django.utils import timezone

from accounts.models import User
from discussion import tasks, telling, writing
from discussion.models import Comment, Preference
from tests.discussion.conftest import LESSON, PREMIUM, client_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("curriculum")]
Says = Callable[..., Comment]


def answer(user: User, to: Comment, text: str = "SECRET-WORDS") -> Comment:
    return writing.reply(user, to, text, False, timezone.now())


def test_a_reply_is_told_by_mail_on_commit(
    member: User, stranger: User, says: Says, monkeypatch, django_capture_on_commit_callbacks: Any
) -> None:
    sent: list[tuple[Any, str]] = []
    monkeypatch.setattr(tasks.tell, "apply_async", lambda args, queue: sent.append((args, queue)))
    first = says(member, LESSON, "Hello", title="A question")
    with django_capture_on_commit_callbacks() as callbacks:
        made = answer(stranger, first)
        assert sent == []
    assert len(callbacks) == 1
    callbacks[0]()
    assert sent == [((made.pk,), "short")]
    tasks.tell(made.pk)
    tasks.tell(made.pk)
    [message] = mail.outbox
    assert message.to == ["member@example.org"] and message.subject == "A reply to you: An open lesson"
    assert "Stranger replied to you in “A question”" in message.body
    assert f"/discussion/{first.thread_id}/#c{made.pk}" in message.body and "SECRET" not in message.body
    assert re.search(r"http://127\.0\.0\.1:\d+/discussion/mail/stop/", message.extra_headers["List-Unsubscribe"])


def test_a_queue_that_cannot_be_reached_loses_nothing(member: User, stranger: User, says: Says, monkeypatch) -> None:
    def unreachable(*_: Any, **__: Any) -> None:
        raise ConnectionRefusedError

    monkeypatch.setattr(tasks.tell, "apply_async", unreachable)
    made = answer(stranger, says(member, LESSON, "Hello"))
    assert tasks.send_hint(made.pk) is False
    assert telling.tell_rest(timezone.now()) == 0
    assert telling.tell_rest(timezone.now() + timedelta(minutes=3)) == 1
    assert telling.tell_rest(timezone.now() + timedelta(minutes=3)) == 0
    assert len(mail.outbox) == 1


def test_a_mail_that_fails_is_tried_again_and_not_for_ever(
    member: User, stranger: User, says: Says, settings: Any
) -> None:
    made = answer(stranger, says(member, LESSON, "Hello"))
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 1
    assert telling.tell(made.pk) is False
    made.refresh_from_db()
    assert made.untold
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    assert telling.tell_rest(timezone.now() + timedelta(days=2)) == 0
    assert telling.tell_rest(timezone.now() + timedelta(hours=2)) == 1


def wants_none(member: User, made: Comment) -> None:
    Preference.choose(member, "none")


def is_unconfirmed(member: User, made: Comment) -> None:
    EmailAddress.objects.filter(user=member).update(verified=False)


def is_inactive(member: User, made: Comment) -> None:
    User.objects.filter(pk=member.pk).update(is_active=False)


def was_deleted(member: User, made: Comment) -> None:
    writing.delete(made, timezone.now())


def was_hidden(member: User, made: Comment) -> None:
    Comment.objects.filter(pk=made.pk).update(hidden_at=timezone.now())


def has_lapsed(member: User, made: Comment) -> None:
    member.grants.all().delete()


def left(member: User, made: Comment) -> None:
    member.delete()


def nothing_changed(member: User, made: Comment) -> None:
    pass


@pytest.mark.parametrize(
    ("change", "mails"),
    [
        (nothing_changed, 1),
        *((change, 0) for change in (wants_none, is_unconfirmed, is_inactive, was_deleted, was_hidden, has_lapsed)),
        (left, 0),
    ],
)
def test_who_is_told(member: User, premium: User, says: Says, change: Callable[..., None], mails: int) -> None:
    member.grants.create(until=timezone.now() + timedelta(days=1), reason="test")
    made = answer(premium, says(member, PREMIUM, "Hello"))
    change(member, made)
    telling.tell(made.pk)
    assert len(mail.outbox) == mails


def test_nobody_is_told_of_themselves_or_of_what_others_are_told(member: User, stranger: User, says: Says) -> None:
    first = says(member, LESSON, "Hello")
    mine = answer(member, first, "Once more")
    theirs = answer(stranger, mine, "An answer to the answer")
    assert (mine.untold, theirs.untold) == (False, True)
    telling.tell(theirs.pk)
    assert len(mail.outbox) == 1


def test_choosing(member: User) -> None:
    client = client_of(member)
    assert re.search(r'value="mail" checked', client.get("/discussion/preferences/").text)
    client.post("/discussion/preferences/", {"replies": "none"})
    assert Preference.replies_to(member) == "none"
    client.post("/discussion/preferences/", {"replies": "nonsense"})
    assert Preference.replies_to(member) == "none"
    assert Client().get("/discussion/preferences/").url.startswith("/account/login/")


def test_the_link_in_the_mail_stops_them_without_signing_in(member: User, stranger: User) -> None:
    strict = Client(enforce_csrf_checks=True)
    address = f"/discussion/mail/stop/{telling.token(member)}/"
    assert strict.get(address).status_code == 200
    assert Preference.replies_to(member) == "mail"
    assert strict.post(address, {"List-Unsubscribe": "One-Click"}).status_code == 200
    assert (Preference.replies_to(member), Preference.replies_to(stranger)) == ("none", "mail")
    assert strict.post("/discussion/mail/stop/nonsense/").status_code == 404
