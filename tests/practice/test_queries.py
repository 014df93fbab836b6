"""Every page of practising takes few queries, and as many for someone with much behind them as for someone new."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts.access import Person
from accounts.models import User
from courses import answering
from courses.models import Lesson, Question, QuizAttempt, QuizItem
from practice import cards, mocks, reviewing
from practice.models import Mock, NumberTry

pytestmark = pytest.mark.usefixtures("curriculum")

FEWER_THAN = 12
PAGES = [
    "/practise/",
    "/practise/numbers/",
    "/practise/numbers/kv-bytes-a-token/",
    "/practise/numbers/price-of-checkpointing/",
    "/practise/review/",
    "/practise/mock/",
    "/practise/progress/",
    "/questions/when-it-pays/",
    "/questions/when-it-pays/answers/",
    "/lessons/checkpointing/",
    "/account/",
    "/",
]


def much(user: User) -> None:
    """Hundreds of answers, attempts, tries and reviews of one person."""
    now = timezone.now()
    question, item = Question.objects.get(), QuizItem.objects.first()
    for number in range(12):
        answering.submit(user, question, f"Answer {number}", 0)
    QuizAttempt.objects.bulk_create(
        QuizAttempt(user=user, item=item, response=[0], score=number % 2, item_version=item.version)
        for number in range(200)
    )
    NumberTry.objects.bulk_create(
        NumberTry(user=user, number="kv-bytes-a-token", inputs={}, typed="1", right=False, answered_at=now)
        for _ in range(200)
    )
    for nth in range(1, 9):
        for key in cards.available(user, Person.of(user), now):
            reviewing.grade(user, key, 1 + nth % 4, nth, now - timedelta(days=9 - nth))
    for _ in range(8):
        mock = mocks.start(user, Person.of(user), "", "", 30, now)
        mocks.hand_in(mock, 1, "", 0, now, stop=True)


def queries(client: Client, address: str, **sent: str) -> list[str]:
    with CaptureQueriesContext(connection) as captured:
        assert client.get(address, sent).status_code == 200
    return [query["sql"][:200] for query in captured]


@pytest.mark.usefixtures("in_production")
@pytest.mark.parametrize("address", PAGES)
def test_a_page_takes_fewer_than_twelve_queries(as_premium: Client, premium: User, reads, address: str):
    Lesson.objects.filter(slug="open-lesson").update(slug="kv-cache")
    reads(premium, "checkpointing", "saved-tensors", "kv-cache")
    queries(as_premium, address)  # the process keeps what is the same for all
    first = queries(as_premium, address)
    assert len(first) < FEWER_THAN, "\n".join(first)
    much(premium)
    later = queries(as_premium, address)
    assert len(later) < FEWER_THAN, "\n".join(later)


@pytest.mark.parametrize("kind", ["quiz", "term", "question", "number"])
def test_each_kind_of_card_takes_fewer_than_twelve_queries(as_premium: Client, premium: User, reads, kind: str):
    Lesson.objects.filter(slug="checkpointing").update(slug="activation-checkpointing")
    reads(premium, "activation-checkpointing", "saved-tensors")
    key = next(key for key in cards.available(premium, Person.of(premium), timezone.now()) if key.startswith(kind))
    front = queries(as_premium, "/practise/review/", card=key)
    assert len(front) < FEWER_THAN, "\n".join(front)
    session = as_premium.session
    session["turned"] = key
    session.save()
    back = queries(as_premium, "/practise/review/", card=key)
    assert len(back) < FEWER_THAN, "\n".join(back)


def test_a_mock_interview_takes_fewer_than_twelve_queries(as_premium: Client, premium: User):
    mock = mocks.start(premium, Person.of(premium), "", "", 30, timezone.now())
    for step in ("asking", "marking", "report"):
        taken = queries(as_premium, f"/practise/mock/{mock.pk}/")
        assert len(taken) < FEWER_THAN, step + "\n".join(taken)
        if step == "asking":
            mocks.hand_in(mock, 1, "Text", 0, timezone.now())
        else:
            mocks.mark(mock, {1: [0]}, {}, Person.of(premium), timezone.now())
    assert Mock.objects.get().marked_at
