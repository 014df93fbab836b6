"""Progress counts what was done, in the learner's own days, and takes nothing back."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import User
from courses.models import Answer, Lesson, LessonRead, Question, QuizAttempt, QuizItem
from labs.models import Mode, Submission
from practice import progress
from practice.models import NumberTry, Review

pytestmark = pytest.mark.usefixtures("curriculum")

NOW = datetime(2026, 3, 10, 12, tzinfo=UTC)


def of(user: User, now: datetime = NOW) -> progress.Progress:
    return progress.of(user, now)


def attempt(user: User, key: str, score: float) -> None:
    item = QuizItem.objects.get(key=key)
    QuizAttempt.objects.create(user=user, item=item, response=[0], score=score, item_version=item.version)


def answered(user: User) -> None:
    Answer.objects.create(
        user=user, question=Question.objects.get(), text="x", question_version="1", submitted_at=timezone.now()
    )


def test_someone_new_has_done_nothing(member: User):
    found = of(member)
    assert (found.lessons.done, found.questions.done, found.numbers.done, found.labs.done) == (0, 0, 0, 0)
    assert (found.lessons.total, found.questions.total) == (3, 1)
    assert found.labs.total == len(found.lab_lines) > 5
    assert (found.streak.current, found.streak.days) == (0, 0)


def test_it_counts_by_lesson_phase_track_and_lab(member: User, stranger: User, reads):
    reads(member, "saved-tensors")
    reads(stranger, "open-lesson", "checkpointing")
    attempt(member, "kept", 1.0)
    attempt(member, "kept", 0.0)
    attempt(member, "cost", 0.5)
    attempt(stranger, "cost", 1.0)
    answered(member)
    NumberTry.objects.create(user=member, number="total-work", inputs={}, right=True, answered_at=NOW)
    NumberTry.objects.create(user=member, number="days-to-train", inputs={}, right=False, answered_at=NOW)
    lab = next(iter(progress.lab_work(member).titles))
    Submission.objects.create(user=member, lab=lab, mode=Mode.SUBMIT, source=b"", outcome="passed")
    Lesson.objects.filter(slug="saved-tensors").update(labs=[lab, "gone"])
    found = of(member)
    assert (found.lessons.done, found.questions.done, found.numbers.done, found.labs.done) == (1, 1, 1, 1)
    phase = found.phases[0]
    assert (phase.read.done, phase.read.total) == (1, 2)
    line = phase.lessons[0]
    assert line.read and (line.quiz.done, line.quiz.total) == (1, 1) and (line.labs.done, line.labs.total) == (1, 1)
    last = found.phases[-1].lessons[-1]
    assert (last.lesson.slug, last.quiz.done, last.quiz.total) == ("checkpointing", 0, 3)
    assert [(tally.done, tally.total) for tally in found.tracks] == [(1, 1)]
    assert [passed for _, url, passed in found.lab_lines if url == f"/labs/{lab}/"] == [True]


def test_it_never_goes_backward_by_itself(premium: User, reads):
    reads(premium, "checkpointing", "saved-tensors")
    attempt(premium, "cost", 1.0)
    attempt(premium, "cost", 0.0)
    answered(premium)
    before = of(premium)
    premium.grants.all().delete()
    QuizItem.objects.filter(key="cost").update(version="reworded", retired=True)
    Lesson.objects.filter(slug="checkpointing").update(retired=True)
    Question.objects.update(retired=True, version="reworded")
    after = of(premium)
    assert after.lessons.done == before.lessons.done == 2
    assert after.questions.done == before.questions.done == 1
    assert sum(line.quiz.done for phase in after.phases for line in phase.lessons) == 1


@pytest.mark.parametrize(("zone", "current", "days"), [("UTC", 2, 2), ("Asia/Tokyo", 1, 1)])
def test_days_in_a_row_are_their_own(member: User, reads, zone: str, current: int, days: int):
    """Read at 20:00 UTC on the 9th and answered at 10:00 on the 10th: two days in London, one in Tokyo."""
    User.objects.update(timezone=zone)
    member.refresh_from_db()
    reads(member, "saved-tensors")
    LessonRead.objects.update(at=datetime(2026, 3, 9, 20, tzinfo=UTC))
    NumberTry.objects.create(user=member, number="total-work", inputs={}, answered_at=NOW - timedelta(hours=2))
    streak = of(member).streak
    assert (streak.current, streak.days, streak.today) == (current, days, True)


def test_every_kind_of_work_makes_a_day(member: User, reads):
    reads(member, "saved-tensors")
    attempt(member, "kept", 0.0)
    answered(member)
    Submission.objects.create(user=member, lab="x", mode=Mode.RUN, source=b"")
    for number, (model, name) in enumerate(
        [(LessonRead, "at"), (QuizAttempt, "at"), (Answer, "submitted_at"), (Submission, "created")]
    ):
        model.objects.update(**{name: NOW - timedelta(days=number)})
    NumberTry.objects.create(user=member, number="total-work", inputs={}, answered_at=NOW - timedelta(days=4))
    Review.objects.create(user=member, card="x", nth=1, grade=3, day=(NOW - timedelta(days=5)).date(), at=NOW)
    assert of(member).streak.current == 6


def test_the_page_shows_it(as_member: Client, member: User, reads, visitor: Client):
    reads(member, "saved-tensors")
    page = as_member.get("/practise/progress/").content.decode()
    assert "1 day</b> in a row" in page and "What autograd saves" in page
    assert visitor.get("/practise/progress/").status_code == 302


def test_the_account_page_shows_it_too(as_member: Client, member: User, reads):
    reads(member, "saved-tensors")
    page = as_member.get("/account/").content.decode()
    assert "1 day</b> in a row" in page and "/practise/progress/" in page
