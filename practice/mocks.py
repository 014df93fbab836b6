"""Mock interviews: draw questions that someone may open, ask one after the other, mark, and report."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import F

from accounts.access import Person, decide
from courses import answering, progress
from courses.models import Answer, Question
from practice.models import Mock, MockTurn

LENGTHS = (20, 30, 45, 60, 90)
_CHANCE = random.SystemRandom()


class NothingToAsk(Exception):
    """No question fits; the sentence says what to change."""


class NotNow(Exception):
    """This question is not the one being asked."""


@dataclass(frozen=True)
class Candidate:
    """A question that could be asked: its minutes, and whether this person handed in an answer to it before."""

    pk: int
    minutes: int
    answered: bool


def choose(pool: Iterable[Candidate], minutes: int, chance: random.Random) -> list[Candidate]:
    """Return questions that fill at most `minutes`, new ones first; the shortest one where none fits."""
    mixed = sorted(pool, key=lambda each: each.pk)
    chance.shuffle(mixed)
    mixed.sort(key=lambda each: each.answered)
    chosen: list[Candidate] = []
    left = minutes
    for each in mixed:
        if each.minutes <= left:
            chosen.append(each)
            left -= each.minutes
    return chosen or sorted(mixed, key=lambda each: each.minutes)[:1]


def open_questions(person: Person, now: datetime) -> list[Question]:
    """Return the questions whose worked answer and rubric are open to a person: one query."""
    questions = Question.objects.shown().select_related("track").order_by("track__position", "title")
    return [question for question in questions if decide(question.tier, 0, person, now).is_open]


def start(user: Any, person: Person, track: str, level: str, minutes: int, now: datetime) -> Mock:
    """Draw a mock interview and begin it; one that runs goes on instead. Raises NothingToAsk."""
    fitting = [
        question
        for question in open_questions(person, now)
        if track in ("", question.track.slug) and level in ("", question.level)
    ]
    if not fitting:
        raise NothingToAsk("No question that is open to you has this track and level: choose another, or all of them.")
    answered = progress.answered_ids(user)
    by_pk = {question.pk: question for question in fitting}
    pool = [Candidate(question.pk, question.minutes, question.pk in answered) for question in fitting]
    chosen = choose(pool, minutes, _CHANCE)
    title = fitting[0].track.title if track else ""
    try:
        with transaction.atomic():
            mock = Mock.objects.create(user=user, track=title, level=level, minutes=minutes)
            MockTurn.objects.bulk_create(
                MockTurn(
                    mock=mock,
                    question=by_pk[each.pk],
                    position=position,
                    minutes=each.minutes,
                    started_at=now if position == 1 else None,
                )
                for position, each in enumerate(chosen, 1)
            )
            return mock
    except IntegrityError:
        return Mock.objects.get(user=user, finished_at=None)


def turns(mock: Mock) -> list[MockTurn]:
    """Return the questions of a mock interview in order, with their tracks and answers: one query."""
    return list(mock.turns.select_related("question__track", "answer").order_by("position"))


def current(asked: Iterable[MockTurn]) -> MockTurn | None:
    """Return the question that is being asked."""
    return next((turn for turn in asked if turn.ended_at is None), None)


@transaction.atomic
def hand_in(mock: Mock, position: int, text: str, revision: int, now: datetime, stop: bool = False) -> None:
    """End the question that is asked, with what was written to it, and ask the next; `stop` ends the interview.

    Nothing written is a question passed over. Raises NotNow, answering.NotSaved, answering.Conflict.
    """
    turn = mock.turns.select_related("question").filter(position=position, ended_at=None).first()
    if turn is None or turn.started_at is None or mock.finished_at:
        raise NotNow("That question was answered already, in another tab or by a second press.")
    answer = answering.submit(mock.user, turn.question, text, revision) if text.strip() else None
    if answer:
        Answer.objects.filter(pk=answer.pk, timer_started_at=None).update(
            timer_started_at=turn.started_at, timer_minutes=turn.minutes
        )
    if not mock.turns.filter(pk=turn.pk, ended_at=None).update(ended_at=now, answer=answer):
        raise NotNow("That question was answered already, in another tab.")
    following = None if stop else mock.turns.filter(ended_at=None).order_by("position").first()
    if following:
        mock.turns.filter(pk=following.pk).update(started_at=now)
    else:
        Mock.objects.filter(pk=mock.pk, finished_at=None).update(finished_at=now)


def asked(of: Iterable[MockTurn]) -> list[MockTurn]:
    """Return those that were asked: an interview may have been ended before the last."""
    return [turn for turn in of if turn.ended_at]


@transaction.atomic
def mark(
    mock: Mock,
    points: Mapping[int, list[int]],
    flags: Mapping[int, list[int]],
    person: Person,
    now: datetime,
) -> None:
    """Keep the marks of every answer by the position of its question, and with them what they came to."""
    for turn in asked(turns(mock)):
        if not decide(turn.question.tier, 0, person, now).is_open:
            continue
        weights = [int(point.get("weight", 1)) for point in turn.question.rubric]
        made, shown = points.get(turn.position, []), flags.get(turn.position, [])
        turn.points_of = sum(weights)
        turn.points = turn.flags = 0
        if turn.answer:
            answering.mark(turn.answer, made, shown)
            turn.points = sum(weights[number] for number in turn.answer.points or [])
            turn.flags = len(turn.answer.flags or [])
        turn.save(update_fields=["points", "points_of", "flags"])
    Mock.objects.filter(pk=mock.pk).update(marked_at=now)


def newest(user: Any, limit: int = 20) -> list[Mock]:
    """Return a person's mock interviews, the running one first, then newest first."""
    return list(Mock.objects.filter(user=user).order_by(F("finished_at").desc(nulls_first=True))[:limit])
