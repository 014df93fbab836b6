"""When a card comes up again: a pure function of the grades given to it, each with the learner's own day.

The memory model is FSRS (the package `fsrs`, its published default parameters, wished-for recall 0.9, no fuzz, so that
the same history always gives the same day). It counts in the learner's days: two reviews on one evening are the same
day, an evening and the next morning are one day apart, and no change of clocks moves a card.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime, time

from fsrs import Card, Rating, Scheduler

SCHEDULER = Scheduler(enable_fuzzing=False)
AGAIN, HARD, GOOD, EASY = GRADES = (1, 2, 3, 4)


@dataclass(frozen=True)
class Grade:
    """A grade, 1 to 4, and the learner's own date when it was given."""

    grade: int
    day: date


@dataclass(frozen=True)
class State:
    """Where a card stands after its reviews. It is due all of `due_on`; the day of the last review means: once more."""

    reviews: int
    first_on: date
    last_on: date
    due_on: date
    stability: float
    difficulty: float


def replay(history: Iterable[Grade]) -> State | None:
    """Return where a card stands after `history`, oldest first; None before the first review.

    A day earlier than the one before it (someone flew west over the date line) counts as that one.
    """
    card = Card(card_id=0, due=_noon(date.min))
    first = last = None
    reviews = 0
    for grade in history:
        last = max(last or grade.day, grade.day)
        first = first or last
        card, _ = SCHEDULER.review_card(card, Rating(grade.grade), _noon(last))
        reviews += 1
    if first is None or last is None or card.stability is None or card.difficulty is None:
        return None
    return State(reviews, first, last, card.due.date(), card.stability, card.difficulty)


def preview(history: list[Grade], day: date) -> dict[int, int]:
    """Return by grade in how many days the card would come up again if it were given on `day`; 0 is today."""
    days = {}
    for grade in GRADES:
        state = replay([*history, Grade(grade, day)])
        assert state is not None
        days[grade] = (state.due_on - state.last_on).days
    return days


def in_words(days: int) -> str:
    """Return a wait as people say it: "today", "tomorrow", "in 12 days", "in 3 months"."""
    if days <= 0:
        return "today"
    if days == 1:
        return "tomorrow"
    if days < 60:
        return f"in {days} days"
    if days < 700:
        return f"in {round(days / 30.44)} months"
    return f"in {days / 365.25:.1f} years"


def _noon(day: date) -> datetime:
    # noon: the minutes of a learning step stay within the day, whole days are whole days
    return datetime.combine(day, time(12), UTC)
