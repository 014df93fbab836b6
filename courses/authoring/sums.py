"""Sums with units: `2 * 524 MB / 50 GB/s`, as a worked answer makes them from its assumptions.

    sum    = term, any number of (+ or - term)
    term   = factor, any number of (* or / factor)
    factor = number with or without a unit | ( sum ) | whatever `named` reads: a calculator's figure, a measured number

Values are exact fractions in base units; units multiply and cancel, and what is added must be of one kind.
Nothing else is known: no powers, no names, no Python.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from courses.calculators import units

from .problems import AuthorError

_UNIT = "|".join(sorted(map(re.escape, units.TABLE), key=len, reverse=True))
_TOKEN = re.compile(
    rf"\s*(?:(?P<number>\d{{1,3}}(?:,\d{{3}})+(?:\.\d+)?|\d+(?:\.\d+)?(?:e-?\d{{1,2}})?)(?:\s*(?P<unit>{_UNIT})(?![\w/]))?"
    r"|(?P<named>measured:[\w.-]+|[a-z][a-z0-9-]*\.\w+(?:\((?:[^()\"]|\"[^\"]*\")*\))?)"
    r"|(?P<operator>[-+*/()−·]))",
    re.S,
)
_OPERATORS = {"−": "-", "·": "*"}
# what a dimension of the table is made of
_PARTS = {"bytes/s": {"bytes": 1, "s": -1}, "FLOP/s": {"FLOP": 1, "s": -1}, "fraction": {}, "": {}}

# reads `calculator.figure(…)` or `measured:…`; returns its value and unit
Named = Callable[[str], tuple[int | float, str]]


@dataclass(frozen=True)
class Amount:
    """A value in base units, and the powers of those: {"bytes": 1, "s": -1} is bytes a second."""

    value: Fraction
    powers: dict[str, int]

    @property
    def unit(self) -> str:
        over = [name for name, power in self.powers.items() for _ in range(power)]
        under = [name for name, power in self.powers.items() for _ in range(-power)]
        return "/".join(["·".join(over) or ("1" if under else ""), *under])


def compute(text: str, named: Named) -> tuple[int | float, str]:
    """Return the value of a sum and its unit. Raises AuthorError where it cannot be read or its units do not fit."""
    tokens = _tokens(text, named)
    found = _sum(tokens)
    if tokens:
        raise _unreadable(text)
    value = found.value
    return (value.numerator if value.denominator == 1 else float(value)), found.unit


def literals(text: str) -> list[str]:
    """Return the numbers that are typed in a sum, each with its unit."""
    return [
        match[0].strip() for match in _TOKEN.finditer(text) if match["number"]
    ]  # what stands in a figure's brackets is a `named` of its own


def _unreadable(text: str) -> AuthorError:
    return AuthorError(
        f"“{text.strip()}” is no source of a number",
        "write calculator-id.figure(input=value), measured:id.numbers.name, or a sum of these and of numbers",
    )


def _tokens(text: str, named: Named) -> list[Amount | str]:
    tokens: list[Amount | str] = []
    position = 0
    while text[position:].strip():
        match = _TOKEN.match(text, position)
        if match is None:
            raise _unreadable(text)
        if match["operator"]:
            tokens.append(_OPERATORS.get(match["operator"], match["operator"]))
        elif match["named"]:
            tokens.append(_amount(*named(match["named"])))
        else:
            tokens.append(_amount(Fraction(match["number"].replace(",", "")), match["unit"] or ""))
        position = match.end()
    return tokens


def _amount(value: int | float | Fraction, unit: str) -> Amount:
    dimension = units.dimension(unit) if unit in units.TABLE else ""
    return Amount(Fraction(value) * units.scale(unit), dict(_PARTS.get(dimension, {dimension: 1})))


def _sum(tokens: list[Amount | str]) -> Amount:
    found = _term(tokens)
    while tokens and tokens[0] in ("+", "-"):
        sign = 1 if tokens.pop(0) == "+" else -1
        other = _term(tokens)
        if found.powers != other.powers:
            kinds = f"{found.unit or 'a plain number'} and {other.unit or 'a plain number'}"
            raise AuthorError(f"{kinds} cannot be added", "give each its unit")
        found = Amount(found.value + sign * other.value, found.powers)
    return found


def _term(tokens: list[Amount | str]) -> Amount:
    found = _factor(tokens)
    while tokens and tokens[0] in ("*", "/"):
        power = 1 if tokens.pop(0) == "*" else -1
        other = _factor(tokens)
        if power < 0 and not other.value:
            raise AuthorError("a division by zero", "look at what stands under the line")
        powers = Counter(found.powers)
        for name, each in other.powers.items():
            powers[name] += power * each
        kept = {name: each for name, each in powers.items() if each}
        found = Amount(found.value * other.value if power > 0 else found.value / other.value, kept)
    return found


def _factor(tokens: list[Amount | str]) -> Amount:
    first = tokens.pop(0) if tokens else ""
    if isinstance(first, Amount):
        return first
    if first == "(":
        found = _sum(tokens)
        if tokens and tokens.pop(0) == ")":
            return found
    raise AuthorError("a sum is not complete", "write each operator between two numbers, and close each bracket")
