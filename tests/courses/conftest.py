"""A small curriculum, loaded; and people who may open more or less of it."""

from __future__ import annotations

import shutil
from datetime import timedelta
from pathlib import Path

import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import User
from courses import drawing
from courses.authoring.build import build_or_raise
from courses.sync import sync

CONTENT = Path(__file__).parent / "content"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of the small curriculum that a test may change."""
    return Path(shutil.copytree(CONTENT, tmp_path / "content"))


@pytest.fixture
def curriculum(db: None) -> None:
    """The small curriculum in the database."""
    sync(build_or_raise(CONTENT, drawing.embedded))


@pytest.fixture
def premium(db: None) -> User:
    """Someone with premium for another day."""
    user = User.objects.create_user("premium@example.org", "a long passphrase")
    user.grants.create(until=timezone.now() + timedelta(days=1), reason="test")
    return user


@pytest.fixture
def visitor() -> Client:
    return Client()


@pytest.fixture
def as_member(member: User) -> Client:
    client = Client()
    client.force_login(member)
    return client


@pytest.fixture
def as_premium(premium: User) -> Client:
    client = Client()
    client.force_login(premium)
    return client
