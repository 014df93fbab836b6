"""Taking one's data along, and deleting it: complete, because a model that nobody named fails here."""

import html
import io
import json
import zipfile
from datetime import timedelta
from typing import Any

import pytest
from allauth.usersessions.models import UserSession
from django.apps import apps
from django.conf import settings
from django.contrib.sessions.models import Session
from django.core import mail
from django.db import models
from django.test import Client
from django.utils import timezone

from accounts import personal
from accounts.models import User
from courses.models import Answer, Question
from labs.models import Draft, Submission
from tests.accounts.test_pages import PASSWORD, confirm, sign_in
from tests.courses.conftest import curriculum  # noqa: F401

pytestmark = pytest.mark.django_db
SOURCE = b"x = 1  # \xff\x00 not text\n"


def leads_to_a_person() -> set[type[models.Model]]:
    """Every model with a key to the user, or to a row that has one, and so on."""
    found: set[type[models.Model]] = {User}
    while True:
        more = {
            model
            for model in apps.get_models()
            if any(field.related_model in found for field in model._meta.concrete_fields if field.is_relation)
        }
        if more <= found:
            return found
        found |= more


def test_every_model_that_leads_to_a_person_is_exported_or_says_why_not() -> None:
    missing = {model._meta.label for model in leads_to_a_person() - personal.known_models()}
    assert missing == set(), f"name {sorted(missing)} in the app's kept.py (accounts.personal says how)"


def test_a_model_that_nobody_named_would_be_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(personal, "_parts", {k: v for k, v in personal._parts.items() if v.models != (Answer,)})
    assert Answer in leads_to_a_person() - personal.known_models()


@pytest.fixture
def work(curriculum: None, member: User, stranger: User) -> None:  # noqa: F811
    """Something of everything, of a member and of somebody else."""
    for user, mark in ((member, "MINE"), (stranger, "NOT-MINE")):
        question = Question.objects.get()
        Answer.objects.create(user=user, question=question, text=f"{mark} answer – ∂L", question_version="1")
        Submission.objects.create(user=user, lab="open-lab", source=SOURCE, verdict={"message": f"{mark} verdict"})
        Draft.objects.create(user=user, lab="open-lab", text=f"{mark} draft")
        user.grants.create(until=timezone.now() + timedelta(days=1), reason=f"{mark} grant")


def archive(client: Client) -> zipfile.ZipFile:
    response: Any = client.get("/account/data/export/")
    assert response["Content-Disposition"].startswith('attachment; filename="headroom-')
    return zipfile.ZipFile(io.BytesIO(b"".join(response.streaming_content)))


def test_the_archive_holds_everything_of_one_person_and_nothing_of_another(client: Client, member: User, work) -> None:
    sign_in(client)
    confirm(client)
    found = archive(client)
    assert found.testzip() is None
    names = set(found.namelist())
    assert {f"{part.name}.json" for part in personal.parts()} <= names
    texts = {name: found.read(name).decode("utf-8", "replace") for name in names}
    whole = "".join(texts.values())
    assert "NOT-MINE" not in whole and "stranger@" not in whole
    for mark in ("MINE answer – ∂L", "MINE verdict", "MINE draft", "MINE grant"):
        assert mark in whole
    answer = json.loads(texts["courses/answers.json"])[0]
    assert answer["question"] == "when-it-pays" and answer["text"] == "MINE answer – ∂L"
    public_id = Submission.objects.get(user=member).public_id
    assert found.read(f"files/labs/submissions/open-lab-{public_id}.py") == SOURCE
    assert member.password not in whole
    assert "courses/answers.json: Answers to questions, with your drafts and marks (1)" in texts["README.txt"]


def test_the_archive_asks_who_is_there(client: Client, member: User) -> None:
    assert client.get("/account/data/export/").url.startswith("/account/login/")
    sign_in(client)
    assert client.get("/account/data/export/").url.startswith("/account/reauthenticate/")


def test_the_page_names_all_that_is_kept(client: Client, member: User) -> None:
    client.force_login(member)
    text = html.unescape(client.get("/account/data/").text)
    for part in personal.parts():
        assert part.title in text


def test_deleting_needs_the_password(client: Client, member: User, work) -> None:
    sign_in(client)
    response = client.post("/account/delete/", {"password": "wrong"})
    assert response.status_code == 422
    assert "This is not your password. Nothing was deleted." in response.text
    assert User.objects.filter(pk=member.pk).exists()


def test_guessing_at_the_deletion_is_limited(client: Client, member: User) -> None:
    sign_in(client)
    for _ in range(10):
        client.post("/account/delete/", {"password": "wrong"})
    response = client.post("/account/delete/", {"password": PASSWORD})
    assert "Too many tries." in response.text
    assert User.objects.filter(pk=member.pk).exists()


def test_deleting_takes_all_of_it_and_nothing_of_anybody_else(
    client: Client, member: User, stranger: User, work
) -> None:
    sign_in(client)
    elsewhere = Client()
    sign_in(elsewhere)
    response = client.post("/account/delete/", {"password": PASSWORD}, follow=True)
    assert "Your account is deleted." in response.text
    assert elsewhere.get("/account/").status_code == 302
    assert not User.objects.filter(pk=member.pk).exists()
    kept = [model for model in leads_to_a_person() if model not in (User, UserSession)]
    assert {Answer.objects.get().user, Submission.objects.get().user, Draft.objects.get().user} == {stranger}
    for model in kept:
        for field in model._meta.concrete_fields:
            if field.related_model is User:
                assert not model._base_manager.filter(**{field.name: member.pk}).exists(), model
    assert not UserSession.objects.exists()
    assert not [each for each in Session.objects.all() if each.get_decoded().get("_auth_user_id") == str(member.pk)]
    assert mail.outbox[-1].to == ["member@example.org"]
    assert mail.outbox[-1].subject == "Your Headroom account is deleted"


def test_someone_without_a_password_gives_their_address_after_confirming(client: Client, member: User) -> None:
    member.set_unusable_password()
    member.save()
    client.force_login(member, backend=settings.AUTHENTICATION_BACKENDS[0])
    assert client.get("/account/delete/").url.startswith("/account/")
    session = client.session
    session["account_authentication_methods_user"] = str(member.pk)
    session["account_authentication_methods"] = [
        {"method": "code", "at": timezone.now().timestamp(), "reauthenticated": True}
    ]
    session.save()
    assert "This is not the address" in client.post("/account/delete/", {"email": "other@example.org"}).text
    assert client.post("/account/delete/", {"email": "Member@Example.org"}).url == "/"
    assert not User.objects.exists()


def test_what_cannot_be_ended_stops_the_deletion(client: Client, member: User, monkeypatch) -> None:
    def refuse(user: User) -> None:
        raise personal.CannotDelete("Your subscription could not be ended. Try again in a few minutes.")

    monkeypatch.setattr(personal, "_before_deletion", [refuse])
    sign_in(client)
    response = client.post("/account/delete/", {"password": PASSWORD})
    assert (response.status_code, "could not be ended" in response.text) == (422, True)
    assert User.objects.filter(pk=member.pk).exists()
    assert client.get("/account/").status_code == 200
