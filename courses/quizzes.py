"""Show, read and grade quiz items. What is right leaves the server only with the feedback on an attempt."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.utils.crypto import salted_hmac

from courses.calculators import checking, units
from courses.models import QuizAttempt, QuizItem

# an option number list, or for a numeric item the text that was typed
Response = list[int] | str
# where a visitor's session keeps their attempts
VISITOR = "quiz"


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
    remark: str = ""
    best: float | None = None
    tries: int = 0
    places: list[int] = field(default_factory=list)

    @property
    def right(self) -> bool:
        return self.score == 1.0

    @property
    def percent(self) -> int:
        """The last attempt's score in whole per cent, never rounded up to 100."""
        return int(100 * (self.score or 0.0))

    @property
    def best_percent(self) -> int:
        return int(100 * (self.best or 0.0))


@dataclass(frozen=True)
class Tried:
    """What someone's attempts at an item come to: the last response, the best score and how many there were."""

    response: Response
    best: float
    tries: int = 1


def token(item: QuizItem, number: int) -> str:
    """Name an option so that neither its place in the file nor its order can be read from the name."""
    return salted_hmac("courses.quizzes", f"{item.pk}:{item.version}:{number}").hexdigest()[:12]


def show(item: QuizItem, tried: Tried | None, problem: str = "") -> ShownItem:
    """Return `item` as it may be shown to someone who has `tried` it, or not yet."""
    response = tried.response if tried else None
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
        remark=_checked(item, response).remark if isinstance(response, str) else "",
        best=tried.best if tried else None,
        tries=tried.tries if tried else 0,
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
        _checked(item, typed)
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


def _checked(item: QuizItem, typed: str) -> checking.Checked:
    """Compare what was typed with the item's answer. Raises NotAnAnswer."""
    wanted = float((item.answer or 0.0) * units.scale(item.unit))
    try:
        return checking.check(typed, wanted, item.unit, item.tolerance)
    except ValueError as error:
        raise NotAnAnswer(str(error)) from None


def grade(item: QuizItem, response: Response) -> float:
    """Return how much of `response` is right, 0 to 1.

    Single and numeric items are right or wrong. In a multiple item each option ticked or left rightly counts; in an
    ordering each option at its place.
    """
    if item.kind == "numeric":
        return float(_checked(item, str(response)).right)
    right = {number for number, option in enumerate(item.options) if option["right"]}
    if item.kind == "single":
        return float(set(response) == right)
    if item.kind == "multiple":
        return 1 - len(right ^ {int(number) for number in response}) / len(item.options)
    return sum(number == place for place, number in enumerate(response)) / len(item.options)


def attempts(items: Iterable[QuizItem], user: Any, visitor: Mapping[str, Any]) -> dict[int, Tried]:
    """Return the last response and best score by item: a person's from the database, a visitor's from their session.

    An attempt at an earlier wording of an item does not count: its options may be others.
    """
    versions = {item.pk: item.version for item in items}
    if not user.is_authenticated:
        kept = {pk: visitor.get(str(pk), {}) for pk in versions}
        return {
            pk: Tried(each["response"], each.get("best", 0.0), each.get("tries", 1))
            for pk, each in kept.items()
            if each.get("version") == versions[pk]
        }
    tried: dict[int, Tried] = {}
    rows = QuizAttempt.objects.filter(user=user, item__in=versions).order_by("-at", "-pk")
    for pk, response, score, version in rows.values_list("item_id", "response", "score", "item_version"):
        if version == versions[pk]:
            last = tried.get(pk)
            tried[pk] = Tried(last.response, max(last.best, score), last.tries + 1) if last else Tried(response, score)
    return tried


def record(item: QuizItem, response: Response, user: Any, session: Any) -> Tried:
    """Keep one attempt, a person's in the database and a visitor's in their session; return what theirs come to."""
    score = grade(item, response)
    if user.is_authenticated:
        QuizAttempt.objects.create(user=user, item=item, response=response, score=score, item_version=item.version)
        return attempts([item], user, {})[item.pk]
    kept = session.get(VISITOR, {})
    before = attempts([item], user, kept).get(item.pk)
    tried = Tried(response, max(score, before.best if before else 0.0), before.tries + 1 if before else 1)
    entry = {"response": response, "version": item.version, "best": tried.best, "tries": tried.tries}
    session[VISITOR] = {**kept, str(item.pk): entry}
    return tried
