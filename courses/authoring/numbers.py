"""Numbers in prose: `[[= source | format | expected ]]`, computed when the page is rendered.

A source is a calculator's figure, `time-to-train.seconds(parameters=175e9)`, a measured number,
`measured:id.numbers.peak_bytes`, or a sum of such and of numbers with units (`sums`), for the steps that a worked
answer takes once. What is computed in more than one place is a calculator's.
"""

from __future__ import annotations

import html
import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from courses.calculators import Calculator, InputError, Result, units

from . import sums
from .problems import AuthorError, one_of

EXPRESSION = re.compile(r"\[\[=(.*?)\]\]", re.S)

_SUFFIXES = {"bytes": "bytes", "flops": "FLOP", "seconds": "s", "fraction": "fraction"}
CALL = re.compile(
    r"(?P<id>[a-z0-9][a-z0-9-]*)\.(?P<figure>[a-z_]\w*)(?:\((?P<inputs>(?:[^()\"]|\"[^\"]*\")*)\))?", re.S
)
_MEASURED = re.compile(r"measured:(?P<id>[a-z0-9][a-z0-9-]*)\.(?P<path>[\w.-]+)")
_INPUT = re.compile(r"\s*(?P<name>\w+)\s*=\s*(?:\"(?P<quoted>[^\"]*)\"|(?P<bare>[^\s,\"|()]+))\s*(?:,|$)", re.S)
_PART = re.compile(r'((?:"[^"]*"|[^|"])*)(?:\||$)', re.S)
_DIGITS = re.compile(r"(?P<digits>[1-9]|1[0-5])(?:\s+(?P<unit>\S.*))?")


@dataclass(frozen=True)
class Number:
    """A computed number: `display` as printed with its unit, `exact` with every digit, `value` in the unit printed."""

    value: float
    display: str
    exact: str

    @property
    def html(self) -> str:
        shown = html.escape(self.display).replace(" ", "\u00a0")
        hover = f' title="{html.escape(self.exact)}"' if self.exact != self.display else ""
        return f'<span class="num"{hover}>{shown}</span>'

    @property
    def latex(self) -> str:
        return rf"\text{{{self.display.replace('%', chr(92) + '%')}}}"


@dataclass(frozen=True)
class Sources:
    """Where numbers come from: the calculators by id, and the measured artefacts by id."""

    calculator: Callable[[str], Calculator]
    calculators: Callable[[], list[Calculator]]
    measured: Mapping[str, Mapping[str, Any]]


def compute(sources: Sources, ident: str, inputs: Mapping[str, Any]) -> Result:
    """Run a calculator on an author's inputs. Raises AuthorError naming the input at fault."""
    try:
        calculator = sources.calculator(ident)
    except KeyError:
        known = [entry.id for entry in sources.calculators()]
        raise AuthorError(f"there is no calculator “{ident}”", one_of(known, ident)) from None
    names = [field.name for field in calculator.fields]
    for name in inputs:
        if name not in names:
            raise AuthorError(f"the calculator “{ident}” has no input “{name}”", one_of(names, name))
    try:
        return calculator.compute(inputs)
    except InputError as error:
        raise AuthorError(
            f"the calculator “{ident}” refuses these inputs: {error}", "give values it can take"
        ) from None


def _is_number(value: Any) -> bool:
    """Say whether it is finite and can be formatted: an int beyond the largest float cannot."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= sys.float_info.max


def evaluate(expression: str, sources: Sources) -> Number:
    """Compute what stands between `[[=` and `]]`. Raises AuthorError with a message and a cure."""
    parts = [part.strip() for part in _PART.findall(expression)]
    if parts and parts[-1] == "":
        parts.pop()
    if not 1 <= len(parts) <= 3:
        raise AuthorError(f"“{expression.strip()}” cannot be read", "write [[= source | format | expected ]]")
    try:
        value, unit = _named(parts[0], sources)
    except _NotNamed:
        value, unit = sums.compute(parts[0], lambda text: _number(text, sources))
    if not _is_number(value):
        raise AuthorError(f"“{parts[0]}” is not a finite number that a float can hold", "refer to a number")
    display, sized = _format(value, unit, parts[1] if len(parts) > 1 else "")
    if len(parts) == 3 and parts[2].strip('"') != display:
        raise AuthorError(
            f"the page says {parts[2]}, the computation says {display}",
            "change the text around it to agree, then the expected value",
        )
    every_digit = units.exact(value)
    return Number(sized, display, every_digit if unit == "fraction" else f"{every_digit} {unit}".strip())


class _NotNamed(AuthorError):
    """The text is neither a calculator's figure nor a measured number."""


def _named(text: str, sources: Sources) -> tuple[Any, str]:
    if match := CALL.fullmatch(text):
        return _from_calculator(match, sources)
    if match := _MEASURED.fullmatch(text):
        return _from_measured(match, sources)
    raise _NotNamed(f"“{text}” is no source of a number", "write calculator-id.figure or measured:id.numbers.name")


def _number(text: str, sources: Sources) -> tuple[int | float, str]:
    """Read what a sum names; raise AuthorError where it is no number that can be added or multiplied."""
    value, unit = _named(text, sources)
    if not _is_number(value):
        raise AuthorError(f"“{text}” is not a finite number that a float can hold", "refer to a number")
    return value, unit


def read_inputs(text: str) -> dict[str, str]:
    """Read `name=value, …`. Raises AuthorError where they cannot be read."""
    found: dict[str, str] = {}
    position = 0
    while text[position:].strip():
        match = _INPUT.match(text, position)
        if match is None:
            raise AuthorError(
                f"these inputs cannot be read: “{text[position:].strip()}”",
                'write name=value, parted by commas; quote values with spaces: capacity="80 GB"',
            )
        found[match["name"]] = match["quoted"] if match["quoted"] is not None else match["bare"]
        position = match.end()
    return found


def _from_calculator(match: re.Match[str], sources: Sources) -> tuple[Any, str]:
    result = compute(sources, match["id"], read_inputs(match["inputs"] or ""))
    for figure in result.figures:
        if figure.name == match["figure"]:
            return figure.value, figure.unit
    names = [figure.name for figure in result.figures]
    raise AuthorError(
        f"the calculator “{match['id']}” has no figure “{match['figure']}”", one_of(names, match["figure"])
    )


def _from_measured(match: re.Match[str], sources: Sources) -> tuple[Any, str]:
    ident = match["id"]
    if ident not in sources.measured:
        raise AuthorError(f"there is no measured artefact “{ident}”", one_of(sources.measured, ident))
    value: Any = sources.measured[ident]
    for step in match["path"].split("."):
        if isinstance(value, list) and step.isdigit() and int(step) < len(value):
            value = value[int(step)]
        elif isinstance(value, Mapping) and step in value:
            value = value[step]
        else:
            names = list(value) if isinstance(value, Mapping) else []
            raise AuthorError(
                f"measured/{ident}.json has no “{match['path']}”: “{step}” is not in it", one_of(names, step)
            )
    return value, measured_unit(match["path"])


def measured_unit(name: str) -> str:
    """Return the unit that the end of a measured number's name says: `peak_bytes` is in bytes."""
    return _SUFFIXES.get(name.rsplit("_", 1)[-1], "")


def _format(value: int | float, unit: str, wanted: str) -> tuple[str, float]:
    """Return the number as printed, and its value in the unit printed (the base unit where none is asked for)."""
    if not wanted:
        return units.show(value, unit), float(value)
    words = wanted.split()
    bare = "bare" in words
    spec = " ".join(word for word in words if word != "bare")
    count = _DIGITS.fullmatch(spec)
    to = (count["unit"] or "") if count else " ".join(w for w in words if w[0] != "." and w not in ("bare", "exact"))
    if to and to not in units.TABLE and to != unit:
        raise AuthorError(f"the unit “{to}” is not known", one_of(units.TABLE, to))
    if to and units.dimension(to) != units.dimension(unit) and not (to == "%" and unit == ""):
        fitting = ", ".join(name for name in units.TABLE if units.dimension(name) == units.dimension(unit))
        raise AuthorError(
            f"{unit or 'a plain number'} cannot be shown in {to}",
            f"use one of: {fitting}" if fitting else "leave the unit out",
        )
    if to and unit in units.TABLE:
        # a figure may be kept in days: from here on it is in the dimension's base unit, as `format_as` takes it
        base = Fraction(value) * units.scale(unit)
        value = base.numerator if base.denominator == 1 else float(base)
    sized = float(value / units.scale(to)) if to else float(value)
    try:
        if count is None:
            text = units.format_as(value, spec) if spec else units.rounded(value)
        else:
            text = f"{units.rounded(sized, int(count['digits']))} {to}".strip()
    except ValueError as error:
        raise AuthorError(
            str(error), "write a unit (GiB), digits and unit (4 GiB), decimals (.2 GB), or exact"
        ) from None
    return (text.removesuffix(to).strip() if bare else text), sized
