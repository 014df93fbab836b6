"""What a mock interview came to: points, red flags, time, the weakest area and what to read next."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from accounts.access import Person
from courses import progress
from courses.models import Lesson, Question
from courses.opening import lesson_decision
from courses.timing import spell
from practice.models import Mock, MockTurn

READ_NEXT = 3


@dataclass(frozen=True)
class Row:
    """One question of the report. `share` is None where nothing was marked."""

    turn: MockTurn
    share: float | None
    used: str

    @property
    def over(self) -> bool:
        return self.turn.seconds > 60 * self.turn.minutes


@dataclass(frozen=True)
class Area:
    """Questions that belong together, and how much of their rubrics the answers made."""

    title: str
    points: int
    points_of: int
    flags: int

    @property
    def share(self) -> float:
        return self.points / self.points_of if self.points_of else 0.0


@dataclass(frozen=True)
class Report:
    rows: list[Row]
    points: int
    points_of: int
    flags: int
    used: str
    planned: int
    passed_over: int
    areas: list[Area]
    weakest: Area | None
    read_next: list[Lesson]


def of(mock: Mock, asked: list[MockTurn], person: Person, now: datetime) -> Report:
    """Report on the questions that were asked: two queries, for what to read next."""
    marked = [turn for turn in asked if turn.points_of]
    found = areas(marked)
    weakest = min(found, key=lambda area: (area.share, -area.flags), default=None)
    return Report(
        rows=[Row(turn, _share(turn), spell(turn.seconds)) for turn in asked],
        points=sum(turn.points or 0 for turn in marked),
        points_of=sum(turn.points_of or 0 for turn in marked),
        flags=sum(turn.flags or 0 for turn in marked),
        used=spell(sum(turn.seconds for turn in asked)),
        planned=sum(turn.minutes for turn in asked),
        passed_over=sum(turn.answer is None for turn in asked),
        areas=found,
        weakest=weakest,
        read_next=read_next(mock.user, marked, person, now),
    )


def areas(marked: Iterable[MockTurn]) -> list[Area]:
    """Return the tracks with what was made of them; the questions where they are all of one track. Pure."""
    turns = list(marked)
    several = len({turn.question.track_id for turn in turns}) > 1
    sums: dict[str, list[int]] = {}
    for turn in turns:
        title = turn.question.track.title if several else turn.question.title
        made = sums.setdefault(title, [0, 0, 0])
        for place, value in enumerate((turn.points, turn.points_of, turn.flags)):
            made[place] += value or 0
    return [Area(title, *made) for title, made in sums.items()]


def read_next(user: Any, marked: list[MockTurn], person: Person, now: datetime) -> list[Lesson]:
    """Return lessons behind the questions answered worst: open to the person, and those not read yet first."""
    worst = sorted((turn for turn in marked if turn.points != turn.points_of), key=lambda turn: _share(turn) or 0.0)
    place = {turn.question_id: number for number, turn in reversed(list(enumerate(worst)))}
    if not place:
        return []
    read = progress.read_ids(user)
    links = Question.concepts.through.objects.filter(question__in=place, lesson__retired=False)
    behind = sorted(
        links.select_related("lesson"), key=lambda link: (place[link.question_id], link.lesson_id in read, link.pk)
    )
    lessons = {link.lesson_id: link.lesson for link in behind if lesson_decision(link.lesson, person, now).is_open}
    return list(lessons.values())[:READ_NEXT]


def _share(turn: MockTurn) -> float | None:
    return (turn.points or 0) / turn.points_of if turn.points_of else None
