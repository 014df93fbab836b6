"""The courses' small curriculum, and people who may open more or less of it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from accounts.models import User
from courses.models import Lesson, LessonRead
from tests.courses.conftest import as_member, as_premium, curriculum, premium, visitor

__all__ = ["as_member", "as_premium", "curriculum", "premium", "visitor"]


@pytest.fixture
def reads() -> Callable[..., None]:
    """Note that someone has read lessons: `reads(member, "saved-tensors")`."""

    def note(user: User, *slugs: str) -> None:
        for slug in slugs:
            LessonRead.objects.get_or_create(user=user, lesson=Lesson.objects.get(slug=slug))

    return note
