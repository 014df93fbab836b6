"""What is due for someone today, and keeping the grades they give."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from django.db import IntegrityError, transaction

from accounts.access import Person
from practice import cards, days, schedule
from practice.models import CardState, Review
from practice.schedule import Grade

NEW_A_DAY = 20


class NotTaken(Exception):
    """The grade was not taken; the sentence says why."""


@dataclass(frozen=True)
class Today:
    """The cards of one of the learner's days. `due` are their keys in the order in which they come up."""

    day: date
    due: list[str]
    fresh: int
    seen: int
    cards: int
    next_on: date | None


def today(user: Any, person: Person, now: datetime) -> Today:
    """Return what is due for a person at `now`: four queries."""
    open_now = cards.available(user, person, now)
    rows = CardState.objects.filter(user=user).values_list("card", "due_on", "first_on", "last_on", "reviewed_at")
    return arrange(open_now, list(rows), days.today(user, now))


def arrange(open_now: list[str], states: list[tuple[str, date, date, date, datetime]], day: date) -> Today:
    """Put in order what is due on `day`: what waited longest, then at most 20 new cards, then today's once more. Pure.

    `states` are rows of (card, due on, first on, last on, reviewed at). What is not open now does not come up.
    """
    may = set(open_now)
    known = {card for card, *_ in states}
    begun = sum(first == day for _, _, first, _, _ in states)
    mine = [state for state in states if state[0] in may]
    waiting = sorted((due, at, card) for card, due, _, last, at in mine if due <= day and last < day)
    again = sorted((at, card) for card, due, _, last, at in mine if due <= day and last >= day)
    fresh = [card for card in open_now if card not in known][: max(0, NEW_A_DAY - begun)]
    later = [due for _, due, _, _, _ in mine if due > day]
    return Today(
        day=day,
        due=[card for *_, card in waiting] + fresh + [card for _, card in again],
        fresh=len(fresh),
        seen=sum(last == day for _, _, _, last, _ in mine),
        cards=len(open_now),
        next_on=min(later, default=None),
    )


def history(user: Any, card: str) -> list[Grade]:
    """Return the grades that a person gave to a card, oldest first."""
    rows = Review.objects.filter(user=user, card=card).order_by("nth")
    return [Grade(grade, day) for grade, day in rows.values_list("grade", "day")]


def grade(user: Any, card: str, given: int, nth: int, now: datetime) -> CardState:
    """Keep a grade as the `nth` of a card, and where the card stands after it. Raises NotTaken.

    The caller has asked whether the card is open to them.
    """
    if given not in schedule.GRADES:
        raise NotTaken("A grade is one of Again, Hard, Good and Easy.")
    before = history(user, card)
    if nth != len(before) + 1:
        raise NotTaken("This card was graded already, in another tab or by a second press; that grade stands.")
    day = days.today(user, now)
    try:
        with transaction.atomic():
            Review.objects.create(user=user, card=card, nth=nth, grade=given, day=day, at=now)
            return _keep(user, card, [*before, Grade(given, day)], now)
    except IntegrityError:
        raise NotTaken("This card was graded in another tab at the same moment; that grade stands.") from None


def undo(user: Any, now: datetime) -> str | None:
    """Take back the last grade that a person gave today; return its card, None where there is none."""
    last = Review.objects.filter(user=user).order_by("-pk").first()
    if last is None or last.day < days.today(user, now):
        return None
    with transaction.atomic():
        last.delete()
        rebuild(user, last.card)
    return last.card


def rebuild(user: Any, card: str) -> None:
    """Compute anew from the log where a card stands."""
    last = Review.objects.filter(user=user, card=card).order_by("nth").last()
    if last is None:
        CardState.objects.filter(user=user, card=card).delete()
    else:
        _keep(user, card, history(user, card), last.at)


def _keep(user: Any, card: str, grades: list[Grade], at: datetime) -> CardState:
    state = schedule.replay(grades)
    assert state is not None
    fields = {name: getattr(state, name) for name in STATE_FIELDS}
    return CardState.objects.update_or_create(user=user, card=card, defaults={**fields, "reviewed_at": at})[0]


STATE_FIELDS = tuple(schedule.State.__dataclass_fields__)
