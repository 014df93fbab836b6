"""Signing up, in and out, and one's own account, as a browser without script would do it."""

import re

import pytest
from django.core import mail
from django.test import Client

from accounts.models import User

pytestmark = pytest.mark.django_db
PASSWORD = "a long passphrase"


def sign_up(client: Client, **given: str):
    return client.post("/account/signup/", {"email": "new@example.org", "password1": PASSWORD, **given})


def sign_in(client: Client, **given: str):
    return client.post("/account/login/", {"login": "member@example.org", "password": PASSWORD, **given})


def confirm(client: Client):
    """Give the password once more, which sensitive pages ask for."""
    return client.post("/account/reauthenticate/", {"password": PASSWORD})


def link_in_the_last_mail() -> str:
    found = re.search(r"http://testserver(/\S+)", mail.outbox[-1].body)
    assert found, mail.outbox[-1].body
    return found[1]


@pytest.mark.parametrize("page", ["signup", "login", "password/reset", "confirm-email", "password/reset/done"])
def test_a_visitor_can_open(client, page: str) -> None:
    response = client.get(f"/account/{page}/")
    assert response.status_code == 200
    assert "· Headroom</title>" in response.text


@pytest.mark.parametrize("page", ["", "profile/", "email/", "password/change/"])
def test_a_member_can_open_and_a_visitor_is_sent_to_sign_in(client, member, page: str) -> None:
    away = client.get(f"/account/{page}")
    assert (away.status_code, away.url) == (302, f"/account/login/?next=/account/{page}")
    client.force_login(member)
    assert client.get(f"/account/{page}").status_code == 200


@pytest.mark.parametrize("page", ["signup", "login", "password/reset", "email", "password/change", "profile"])
def test_every_field_has_a_label_and_no_page_an_inline_style_or_script(client, member, page: str) -> None:
    if page in ("email", "password/change", "profile"):
        client.force_login(member)
    text = client.get(f"/account/{page}/").text
    shown = re.findall(r'<(?:input|select)[^>]*type="(?!hidden)[^>]*id="([^"]+)"|<select[^>]*id="([^"]+)"', text)
    assert shown
    for field in ("".join(pair) for pair in shown):
        assert f'<label for="{field}">' in text
    assert not re.search(r'\sstyle="|\son\w+="|<script(?![^>]*\b(?:src=|type="application/json"))', text)


def test_sign_up_signs_in_and_sends_a_link_that_confirms(client) -> None:
    response = sign_up(client, next="/labs/")
    assert (response.status_code, response.url) == (302, "/labs/")
    user = User.objects.get(email="new@example.org")
    assert client.session["_auth_user_id"] == str(user.pk)
    assert mail.outbox[-1].subject == "Confirm your email address for Headroom"
    client.post(link_in_the_last_mail())
    assert user.emailaddress_set.get().verified


def test_in_production_an_address_is_confirmed_before_the_first_sign_in(client, settings) -> None:
    settings.ACCOUNT_EMAIL_VERIFICATION = "mandatory"
    response = sign_up(client)
    assert response.url == "/account/confirm-email/"
    assert "_auth_user_id" not in client.session
    client.post(link_in_the_last_mail())
    assert sign_in(Client(), login="new@example.org").url == "/"


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"email": "not an address"}, "Enter a valid email address."),
        ({"email": ""}, "This field is required."),
        ({"password1": "short"}, "This password is too short. It must contain at least 10 characters."),
        ({"password1": "0123456789"}, "This password is entirely numeric."),
        ({"password1": "new@example.org"}, "The password is too similar to the email address."),
    ],
)
def test_sign_up_says_what_is_wrong_beside_the_field_and_keeps_the_address(client, given: dict, sentence: str) -> None:
    response = sign_up(client, **given)
    assert sentence in response.text
    assert f'value="{given.get("email", "new@example.org")}"' in response.text or given.get("email") == ""
    assert not User.objects.exists()


def test_signing_up_with_a_taken_address_tells_a_stranger_nothing(client, member, settings) -> None:
    settings.ACCOUNT_EMAIL_VERIFICATION = "mandatory"
    taken, fresh = sign_up(client, email="Member@example.org"), sign_up(Client(), email="fresh@example.org")
    assert (taken.status_code, taken.url) == (fresh.status_code, fresh.url)
    assert [message.subject for message in mail.outbox] == [
        "You have an account at Headroom already",
        "Confirm your email address for Headroom",
    ]
    assert User.objects.count() == 2


def test_sign_in_goes_on_to_the_page_that_asked(client, member) -> None:
    assert sign_in(client, next="/labs/?a=1").url == "/labs/?a=1"
    assert sign_in(Client(), next="https://elsewhere.example/").url == "/"


def test_a_wrong_password_and_an_unknown_address_read_the_same(client, member) -> None:
    wrong = sign_in(client, password="wrong")
    unknown = sign_in(client, login="nobody@example.org")
    sentence = "The email address and/or password you specified are not correct."
    assert sentence in wrong.text
    assert sentence in unknown.text
    assert 'value="member@example.org"' in wrong.text


def test_the_sixth_wrong_password_is_not_even_tried(client, member) -> None:
    for _ in range(5):
        sign_in(client, password="wrong")
    response = sign_in(client)
    assert "Too many failed login attempts. Try again later." in response.text
    assert "_auth_user_id" not in client.session


def test_sign_out_needs_a_post(client, member) -> None:
    client.force_login(member)
    assert client.get("/account/logout/").status_code == 200
    assert "_auth_user_id" in client.session
    assert client.post("/account/logout/").url == "/"
    assert "_auth_user_id" not in client.session


def test_a_reset_link_sets_a_new_password_once(client, member) -> None:
    client.post("/account/password/reset/", {"email": "member@example.org"})
    link = link_in_the_last_mail()
    form = client.get(link, follow=True)
    new = {"password1": "another passphrase", "password2": "another passphrase"}
    client.post(form.request["PATH_INFO"], new)
    assert sign_in(Client(), password="another passphrase").status_code == 302
    again = Client().get(link, follow=True)
    assert "This link no longer works" in again.text


def test_a_reset_for_nobody_reads_like_one_for_somebody(client, member) -> None:
    one = client.post("/account/password/reset/", {"email": "member@example.org"})
    other = client.post("/account/password/reset/", {"email": "nobody@example.org"})
    assert (one.status_code, one.url) == (other.status_code, other.url)
    assert mail.outbox[-1].subject == "No account at Headroom with this address"


def test_a_changed_address_counts_once_confirmed(client, member) -> None:
    sign_in(client)
    confirm(client)
    client.post("/account/email/", {"email": "moved@example.org", "action_add": ""})
    member.refresh_from_db()
    assert member.email == "member@example.org"
    confirmation = next(message for message in mail.outbox if message.to == ["moved@example.org"])
    found = re.search(r"http://testserver(/\S+)", confirmation.body)
    client.post(found[1])
    member.refresh_from_db()
    assert member.email == "moved@example.org"
    told = mail.outbox[-1]
    assert told.to == ["member@example.org"]
    assert "now signs in with moved@example.org instead of member@example.org" in told.body


def test_an_address_that_was_never_confirmed_cannot_be_replaced_and_stays(client, db) -> None:
    sign_up(client)
    confirm(client)
    response = client.post("/account/email/", {"email": "moved@example.org", "action_add": ""})
    assert "Confirm new@example.org first" in response.text
    assert 'value="moved@example.org"' in response.text
    assert User.objects.get().email == "new@example.org"


def test_profile_keeps_what_was_typed_when_it_is_wrong(client, member) -> None:
    client.force_login(member)
    response = client.post("/account/profile/", {"display_name": "x" * 81, "timezone": "Europe/Paris"})
    assert response.status_code == 422
    assert "x" * 81 in response.text
    assert "at most 80 characters" in response.text
    assert client.post("/account/profile/", {"display_name": "Ada", "timezone": "Europe/Paris"}).url == "/account/"
    member.refresh_from_db()
    assert (member.display_name, member.timezone) == ("Ada", "Europe/Paris")


def test_the_account_page_names_the_plan(client, member) -> None:
    from datetime import UTC, datetime

    client.force_login(member)
    assert "Free account" in client.get("/account/").text
    member.grants.create(until=datetime(2999, 1, 31, 12, tzinfo=UTC), reason="test")
    text = client.get("/account/").text
    assert "Premium until" in text
    assert "31 January 2999" in text


def test_the_account_page_shows_what_was_done(client, member) -> None:
    submission = member.submissions.create(lab="checkpoint-function", source=b"", outcome="passed", state="done")
    client.force_login(member)
    text = client.get("/account/").text
    row = re.search(r"Labs passed</th><td[^>]*>(\d+)</td>", text)
    assert row and row[1] == "1"
    assert f"/labs/submissions/{submission.public_id}/" in text


def test_staff_can_give_premium_in_the_admin(client, staff, member) -> None:
    client.force_login(staff)
    assert client.get(f"/staff/accounts/user/{member.pk}/change/").status_code == 200
    assert client.get("/staff/accounts/user/add/").status_code == 200
    client.post(
        "/staff/accounts/grant/add/",
        {"user": member.pk, "until_0": "2999-01-31", "until_1": "00:00:00", "reason": "a prize"},
    )
    assert member.grants.get().reason == "a prize"


def test_the_admin_is_not_for_members(client, member) -> None:
    client.force_login(member)
    assert client.get("/staff/", follow=True).status_code == 403
