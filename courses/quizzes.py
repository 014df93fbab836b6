"""Show, read and grade quiz items. What is right leaves the server only with the feedback on an attempt."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from django.utils.crypto import salted_hmac

from courses.calculators import parsing, units
from courses.models import QuizAttempt, QuizItem

# an option number list, or for a numeric item the text that was typed
Response = list[int] | str


class NotAnAnswer(ValueError):
    """Nothing to grade was sent; the sentence says what to do."""


@dataclass(frozen=True)
class ShownOption:
    """An option as people see it. `right` and `why` are empty until there is an attempt."""

    token: str
    html: str
    chosen: bool
    place: int | None
    right: bool | None = None
    why: str = ""


@dataclass(frozen=True)
class ShownItem:
    """A quiz item as people see it; `score` is None until there is an attempt, and so are all that gives it away."""

    key: str
    kind: str
    prompt: str
    options: list[ShownOption]
    unit: str
    typed: str = ""
    score: float | None = None
    explanation: str = ""
    answer: str = ""
    problem: str = ""
    places: list[int] = field(default_factory=list)

    @property
    def right(self) -> bool:
        return self.score == 1.0


def token(item: QuizItem, number: int) -> str:
    """Name an option so that neither its place in the file nor its order can be read from the name."""
    return salted_hmac("courses.quizzes", f"{item.pk}:{item.version}:{number}").hexdigest()[:12]


def show(item: QuizItem, response: Response | None, problem: str = "") -> ShownItem:
    """Return `item` as it may be shown to someone whose last attempt at it was `response`."""
    done = response is not None
    chosen = response if isinstance(response, list) else []
    numbers = list(range(len(item.options)))
    if item.kind == "ordering":
        # until someone has put them in order, the options stand in an order that says nothing
        numbers = list(chosen) if done else _shuffled(item)
    options = [
        ShownOption(
            token(item, number),
            item.options[number]["html"],
            number in chosen,
            chosen.index(number) + 1 if number in chosen else None,
            _is_right(item, number, place) if done else None,
            item.options[number]["why"] if done else "",
        )
        for place, number in enumerate(numbers)
    ]
    return ShownItem(
        key=item.key,
        kind=item.kind,
        prompt=item.prompt,
        options=options,
        unit=item.unit,
        typed=response if isinstance(response, str) else "",
        score=grade(item, response) if response is not None else None,
        explanation=item.explanation if done else "",
        answer=_right_answer(item) if done else "",
        problem=problem,
        places=list(range(1, len(options) + 1)),
    )


def _shuffled(item: QuizItem) -> list[int]:
    """Return an ordering's options in an order that is always the same, and never the right one."""
    numbers = list(range(len(item.options)))
    mixed = sorted(numbers, key=lambda number: token(item, number))
    return mixed[1:] + mixed[:1] if mixed == numbers else mixed


def _is_right(item: QuizItem, number: int, place: int) -> bool:
    return number == place if item.kind == "ordering" else bool(item.options[number]["right"])


def _right_answer(item: QuizItem) -> str:
    if item.answer is None:
        return ""
    value = int(item.answer) if item.answer.is_integer() else item.answer
    return f"{units.rounded(value, 4)} {item.unit}".strip()


def read(item: QuizItem, sent: Mapping[str, list[str]]) -> Response:
    """Read an attempt from a form's values. Raises NotAnAnswer with a sentence for the person."""
    if item.kind == "numeric":
        typed = " ".join(sent.get("answer", [])).strip()
        _number(item, typed)
        return typed
    numbers = {token(item, number): number for number in range(len(item.options))}
    if item.kind == "ordering":
        return _read_order(numbers, sent)
    chosen = sorted({numbers[each] for each in sent.get("option", []) if each in numbers})
    if not chosen:
        raise NotAnAnswer("Choose an option first.")
    if item.kind == "single" and len(chosen) != 1:
        raise NotAnAnswer("Choose one option only.")
    return chosen


def _read_order(numbers: Mapping[str, int], sent: Mapping[str, list[str]]) -> list[int]:
    places = {name: "".join(sent.get(f"place-{name}", [])) for name in numbers}
    if sorted(places.values()) != sorted(str(place + 1) for place in range(len(numbers))):
        raise NotAnAnswer(f"Give each of the {len(numbers)} a place of its own, from 1 to {len(numbers)}.")
    return [numbers[name] for name in sorted(numbers, key=lambda name: int(places[name]))]


def _number(item: QuizItem, typed: str) -> float:
    """Return what was typed, in the item's unit. Raises NotAnAnswer."""
    if not typed:
        raise NotAnAnswer("Type a number first.")
    try:
        if item.unit in units.TABLE:
            return float(Fraction(parsing.quantity(typed, item.unit)) / units.scale(item.unit))
        return float(parsing.number(typed, item.unit))
    except ValueError as error:
        raise NotAnAnswer(str(error)) from None


def grade(item: QuizItem, response: Response) -> float:
    """Return how much of `response` is right, 0 to 1.

    Single and numeric items are right or wrong. In a multiple item each option ticked or left rightly counts; in an
    ordering each option at its place.
    """
    if item.kind == "numeric":
        wanted = item.answer or 0.0
        return float(abs(_number(item, str(response)) - wanted) <= item.tolerance * abs(wanted))
    right = {number for number, option in enumerate(item.options) if option["right"]}
    if item.kind == "single":
        return float(set(response) == right)
    if item.kind == "multiple":
        return 1 - len(right ^ {int(number) for number in response}) / len(item.options)
    return sum(number == place for place, number in enumerate(response)) / len(item.options)


def responses(items: Iterable[QuizItem], user: Any, visitor: Mapping[str, Any]) -> dict[int, Response]:
    """Return the last response to each item: a person's from the database, a visitor's from their session.

    An attempt at an earlier wording of an item does not count: its options may be others.
    """
    versions = {item.pk: item.version for item in items}
    last: dict[int, Response] = {}
    if not user.is_authenticated:
        for pk, version in versions.items():
            kept = visitor.get(str(pk), {})
            if kept.get("version") == version:
                last[pk] = kept["response"]
        return last
    attempts = QuizAttempt.objects.filter(user=user, item__in=versions).order_by("-at", "-pk")
    for pk, response, version in attempts.values_list("item_id", "response", "item_version"):
        if version == versions[pk]:
            last.setdefault(pk, response)
    return last
