"""Draw a question on numbers for someone, and take what they answer.

What was drawn lies on the server: a person's in the database, a visitor's in their session. The right answer is
computed when there is an attempt to compare with it, and leaves with that attempt's feedback only.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

from django.db.models import F
from django.utils import timezone

from courses.authoring.formulas import to_mathml
from courses.calculators import checking, units
from practice.models import NumberTry
from practice.numbers import Number

LONGEST = 80
VISITOR = "numbers"
_CHANCE = random.SystemRandom()


@dataclass(frozen=True)
class Solution:
    """What is shown after an attempt, with this person's numbers in it."""

    right: bool
    gave_up: bool
    typed: str
    remark: str
    answer: str
    exact: str
    formula: str
    mathml: str
    method: str
    convention: str


@dataclass(frozen=True)
class Shown:
    """A drawn question as its reader sees it; `solution` is None until there was an attempt."""

    number: Number
    ask: str
    given: list[tuple[str, str]]
    solution: Solution | None
    problem: str = ""
    typed: str = ""

    @property
    def tolerance(self) -> str:
        """How close an answer must be, in words."""
        return f"{100 * self.number.tolerance:g} %" if self.number.tolerance else "the number itself"


class NotAnAnswer(ValueError):
    """Nothing to grade was typed; the sentence asks back."""


def show(number: Number, user: Any, session: Any, problem: str = "", typed: str = "", *, fresh: bool = False) -> Shown:
    """Return the question as it stands for someone, drawn where nothing is drawn yet: one to three queries.

    With `fresh` a draw that was answered already is followed by another.
    """
    inputs, answered = _current(number, user, session, fresh)
    return Shown(
        number,
        number.say(number.ask, inputs),
        [(label, number.say(text, inputs)) for label, text in number.given],
        _solve(number, inputs, *answered) if answered else None,
        problem,
        typed,
    )


def again(number: Number, user: Any, session: Any) -> None:
    """Draw anew where the last draw was answered; one that is still open stays as it is."""
    _current(number, user, session, fresh=True)


def answer(number: Number, user: Any, session: Any, typed: str, give_up: bool = False) -> bool | None:
    """Grade what was typed against what was drawn; return whether it is right, None where nothing was open.

    Raises NotAnAnswer, and then nothing was used up. A person's attempt is written once, whatever two tabs send.
    """
    inputs, answered = _current(number, user, session)
    if answered:
        return None
    typed = "" if give_up else typed.strip()
    right = False if give_up else _check(number, inputs, typed).right
    if not user.is_authenticated:
        _keep(session, number, {"inputs": inputs, "typed": typed, "right": right, "answered": True})
        return right
    open_one = NumberTry.objects.filter(user=user, number=number.id, answered_at=None)
    taken = open_one.update(typed=typed[:LONGEST], right=right, answered_at=timezone.now())
    return right if taken else None


def _current(
    number: Number, user: Any, session: Any, fresh: bool = False
) -> tuple[dict[str, Any], tuple[str, bool] | None]:
    """Return what is drawn for someone, and what they answered to it: None where it is open."""
    if not user.is_authenticated:
        kept = session.get(VISITOR, {}).get(number.id)
        if not kept or not number.holds(kept["inputs"]) or (fresh and kept.get("answered")):
            kept = {"inputs": number.drawn(_CHANCE, kept and kept["inputs"])}
            _keep(session, number, kept)
        return kept["inputs"], (kept["typed"], kept["right"]) if kept.get("answered") else None
    last = _last(number, user)
    if last is None or (last.answered_at and (fresh or not number.holds(last.inputs))):
        last = _draw(number, user, last.inputs if last else None)
    elif not number.holds(last.inputs):
        # the file changed while it was open
        last.inputs = number.drawn(_CHANCE)
        NumberTry.objects.filter(pk=last.pk, answered_at=None).update(inputs=last.inputs)
    return last.inputs, (last.typed, bool(last.right)) if last.answered_at else None


def _last(number: Number, user: Any) -> NumberTry | None:
    """Return the open draw, else the last that was answered."""
    tries = NumberTry.objects.filter(user=user, number=number.id)
    return tries.order_by(F("answered_at").desc(nulls_first=True), "-pk").first()


def _draw(number: Number, user: Any, other_than: dict[str, Any] | None = None) -> NumberTry:
    # the constraint on open draws decides between two tabs: the later one reads what the first drew
    fresh = NumberTry(user=user, number=number.id, inputs=number.drawn(_CHANCE, other_than))
    NumberTry.objects.bulk_create([fresh], ignore_conflicts=True)
    return NumberTry.objects.get(user=user, number=number.id, answered_at=None)


def _keep(session: Any, number: Number, entry: dict[str, Any]) -> None:
    session[VISITOR] = {**session.get(VISITOR, {}), number.id: entry}


def _check(number: Number, inputs: dict[str, Any], typed: str) -> checking.Checked:
    if len(typed) > LONGEST:
        raise NotAnAnswer(f"That is {len(typed):,} characters long: write the number with an exponent, as in 3.1e23.")
    figure = number.compute(inputs).figure(number.figure)
    try:
        return checking.check(typed, figure.value, number.unit, number.tolerance)
    except ValueError as error:
        raise NotAnAnswer(str(error)) from None


def _solve(number: Number, inputs: dict[str, Any], typed: str, right: bool) -> Solution:
    result = number.compute(inputs)
    figure = result.figure(number.figure)
    remark = ""
    if typed and not right:
        try:
            remark = _check(number, inputs, typed).remark
        except NotAnAnswer:
            pass  # what was typed can no longer be read, and the solution stands without it
    worked = number.say(number.worked, inputs, result)
    return Solution(
        right,
        gave_up=not typed,
        typed=typed,
        remark=remark,
        answer=figure.display,
        exact=f"{units.exact(figure.value)} {figure.unit}".strip() if figure.unit == "bytes" else "",
        formula=worked or result.formula,
        mathml="" if worked else to_mathml(result.latex, display=True),
        method=number.method,
        convention="" if worked else result.convention,
    )
