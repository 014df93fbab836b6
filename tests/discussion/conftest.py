"""A small curriculum, a lab that some have passed, and people to talk about them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import User
from discussion import markup
from discussion.models import Comment, Thread
from labs.models import Submission
from pages import places
from tests.courses.conftest import curriculum, premium, visitor

__all__ = ["curriculum", "premium", "visitor"]
LESSON, FREE, PREMIUM, LAB = "lesson/open-lesson", "lesson/saved-tensors", "question/when-it-pays", "lab/kv-cache"


def client_of(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


@pytest.fixture
def regular(member: User) -> User:
    """The member, here for a while: not under the limits for new people."""
    User.objects.filter(pk=member.pk).update(date_joined=timezone.now() - timedelta(days=30))
    member.refresh_from_db()
    settled = Thread.objects.create(title="Earlier", author=member, lab="a-lab-that-was")
    before = None
    for number in range(3):
        before = Comment.objects.create(
            thread=settled, author=member, parent=before, text=f"Earlier {number}", html=f"<p>Earlier {number}</p>"
        )
    return member


@pytest.fixture
def says() -> Callable[..., Comment]:
    """Put a comment there, past all limits: `says(user, "lesson/open-lesson", "text")`, `says(user, a_comment, …)`."""

    def put(user: User | None, on: str | Comment, text: str, *, title: str = "A thread", **fields: Any) -> Comment:
        if isinstance(on, Comment):
            thread, parent = on.thread, on
        else:
            place = places.find(*on.split("/"))
            spoiler = fields.pop("thread_spoiler", False)
            thread, parent = Thread.objects.create(title=title, author=user, spoiler=spoiler, **place.row), None
        return Comment.objects.create(
            thread=thread, parent=parent, author=user, text=text, html=markup.to_html(text), **fields
        )

    return put


def passes(user: User, lab: str = "kv-cache") -> None:
    Submission.objects.create(user=user, lab=lab, source=b"x", state="done", outcome="passed", mode="submit")
