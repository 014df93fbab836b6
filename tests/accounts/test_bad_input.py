"""Links that are old, addresses that are taken, sessions that end: what happened, what to do, and nothing to strangers.

A wrong password, a used reset link and a taken address at sign-up are in test_pages; payments in tests/billing.
"""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from django.core import mail
from django.core.cache import cache
from django.test import Client

from accounts.models import User
from tests.accounts.test_pages import confirm, link_in_the_last_mail, sign_in, sign_up

pytestmark = pytest.mark.django_db


@pytest.fixture
def later(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Move the clock of signed links on by some time."""

    def move(by: timedelta) -> None:
        import time

        from django.contrib.auth.tokens import PasswordResetTokenGenerator

        now, real = time.time() + by.total_seconds(), PasswordResetTokenGenerator._now
        monkeypatch.setattr(time, "time", lambda: now)
        monkeypatch.setattr(PasswordResetTokenGenerator, "_now", lambda self: real(self) + by)

    return move


def test_a_confirmation_link_that_is_too_old(client: Client, db: None, later) -> None:
    sign_up(client)
    link = link_in_the_last_mail()
    later(timedelta(days=4))
    text = Client().get(link).text
    assert "This link has expired or was used already." in text
    assert "that sends a new one" in text
    Client().post(link)
    assert not User.objects.get().emailaddress_set.get().verified


def test_a_confirmation_link_that_was_used(client: Client, db: None) -> None:
    sign_up(client)
    link = link_in_the_last_mail()
    client.post(link)
    assert Client().get(link).status_code == 200
    assert User.objects.get().emailaddress_set.get().verified


def test_a_made_up_link_says_the_same(client: Client, db: None) -> None:
    assert "This link has expired or was used already." in client.get("/account/confirm-email/MQ:abc:def/").text
    assert "This link no longer works" in client.get("/account/password/reset/key/1-abc-def/", follow=True).text


def test_a_reset_link_that_is_too_old(client: Client, member: User, later) -> None:
    client.post("/account/password/reset/", {"email": member.email})
    link = link_in_the_last_mail()
    later(timedelta(days=4))
    text = Client().get(link, follow=True).text
    assert "This link no longer works" in text and "Ask for a new one" in text


def test_a_new_address_that_somebody_has_reads_like_one_that_nobody_has(member: User, stranger: User) -> None:
    pages = []
    for email in (stranger.email, "nobody@example.org"):
        client = Client()
        sign_in(client)
        confirm(client)
        response = client.post("/account/email/", {"email": email, "action_add": ""}, follow=True)
        # What is drawn anew for each page: the tokens, and the nonce of the content policy.
        page = re.sub(r'(value|content|nonce)="[A-Za-z0-9+/=]{22,64}"|"X-CSRFToken": "\w+"', "", response.text)
        pages.append(page.replace(email, "ADDRESS"))
        client.post("/account/email/", {"email": email, "action_remove": ""})
    assert pages[0] == pages[1]
    told = next(message for message in mail.outbox if message.to == [stranger.email])
    # Its owner is asked, and even their yes moves the address nowhere.
    Client().post(re.search(r"http://testserver(/\S+)", told.body)[1])  # type: ignore[index]
    assert list(User.objects.order_by("pk").values_list("email", flat=True)) == [member.email, stranger.email]


def test_an_address_that_is_confirmed_elsewhere_first_cannot_be_confirmed_here(
    client: Client, member: User, stranger: User
) -> None:
    for who in (member, stranger):
        cache.clear()  # one such mail in three minutes
        each = Client()
        sign_in(each, login=who.email)
        confirm(each)
        each.post("/account/email/", {"email": "new@example.org", "action_add": ""})
    links = [
        re.search(r"http://testserver(/\S+)", message.body)[1]  # type: ignore[index]
        for message in mail.outbox
        if message.to == ["new@example.org"]
    ]
    for link in links:
        Client().post(link)
    emails = sorted(User.objects.values_list("email", flat=True))
    assert emails.count("new@example.org") == 1
    assert "cannot be confirmed here" in Client().get(links[1]).text


def test_a_session_that_ends_while_the_profile_is_typed(client: Client, member: User) -> None:
    typed = {"display_name": "Ada, Countess", "timezone": "Europe/Paris"}
    away = client.post("/account/profile/", typed)
    assert away.url == "/account/login/?next=/account/profile/"
    assert "nothing is saved yet. Sign in: what you typed is kept." in client.get(away.url).text
    sign_in(client)
    text = client.get("/account/profile/").text
    assert 'value="Ada, Countess"' in text
    assert re.search(r'<option value="Europe/Paris" selected', text)
    member.refresh_from_db()
    assert member.display_name == "Member"


def test_someone_whose_account_was_closed(client: Client, member: User) -> None:
    User.objects.filter(pk=member.pk).update(is_active=False)
    assert (
        "closed"
        in client.post("/account/login/", {"login": member.email, "password": "a long passphrase"}, follow=True).text
    )
    wrong = Client().post("/account/login/", {"login": member.email, "password": "guess"}).text
    assert "are not correct" in wrong and "closed" not in wrong


def test_too_many_resets_for_one_address(client: Client, member: User) -> None:
    for _ in range(5):
        client.post("/account/password/reset/", {"email": member.email})
    response = client.post("/account/password/reset/", {"email": member.email})
    assert response.status_code == 429
    assert "Too many" in response.text and "· Headroom</title>" in response.text
