"""Questions on numbers, one file each: `practice/numbers/<id>.yaml`, and nothing else is edited to add one.

A question draws its parameters anew each time and asks for one figure of one of the courses' calculators, which is the
only computation there is. `docs/authoring.md` says what a file holds.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from accounts.access import Tier
from courses import calculators
from courses.calculators import Calculator, Result, checking, units

FOLDER = Path(__file__).parent
LEVELS = ("foundational", "core", "advanced")
_NEEDED = {"title", "track", "level", "tier", "lesson", "calculator", "figure", "unit", "ask", "method"}
_OPTIONAL = {"tolerance", "cases", "draw", "fixed", "given", "worked"}


class BadNumber(ValueError):
    """A file that is no question; the sentence names the file and the cure."""


@dataclass(frozen=True)
class Number:
    """One question. `cases` are parameters that belong together, `draw` those that are drawn each for itself."""

    id: str
    title: str
    track: str
    level: str
    tier: str
    lesson: str
    calculator: Calculator
    figure: str
    unit: str
    ask: str
    method: str
    worked: str = ""
    tolerance: float = 0.01
    cases: tuple[dict[str, Any], ...] = ({},)
    draw: dict[str, tuple[Any, ...]] = field(default_factory=dict)
    fixed: dict[str, Any] = field(default_factory=dict)
    given: tuple[tuple[str, str], ...] = ()

    def drawn(self, chance: random.Random, other_than: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Return parameters drawn by `chance`, others than the last ones where there are others."""
        for _ in range(20):
            inputs = self._draw(chance)
            if inputs != other_than:
                break
        return inputs

    def _draw(self, chance: random.Random) -> dict[str, Any]:
        return {**chance.choice(self.cases), **{name: chance.choice(values) for name, values in self.draw.items()}}

    def every(self) -> Iterator[dict[str, Any]]:
        """Yield all the parameters that can be drawn."""
        for case in self.cases:
            for values in itertools.product(*self.draw.values()):
                yield {**case, **dict(zip(self.draw, values, strict=True))}

    def holds(self, inputs: Mapping[str, Any]) -> bool:
        """Tell whether `inputs` could still be drawn: a file may have changed since they were."""
        case = {name: value for name, value in inputs.items() if name not in self.draw}
        return case in self.cases and all(inputs.get(name) in values for name, values in self.draw.items())

    def say(self, text: str, inputs: Mapping[str, Any], result: Result | None = None) -> str:
        """Return `text` with the parameters in it, thousands separated, and the figures of `result` as {=name}."""
        shown = {
            name: units.exact(value) if isinstance(value, int | float) else value for name, value in inputs.items()
        }
        shown |= {f"={figure.name}": figure.display for figure in result.figures} if result else {}
        return text.format_map(shown)

    def compute(self, inputs: Mapping[str, Any]) -> Result:
        """Return what the calculator says of `inputs`; names it does not know are words for the reader only."""
        known = {each.name for each in self.calculator.fields}
        return self.calculator.compute({**self.fixed, **{name: inputs[name] for name in inputs if name in known}})


@cache
def _found() -> dict[str, Number]:
    return {number.id: number for number in map(read, sorted(FOLDER.glob("*.yaml")))}


def all_numbers() -> list[Number]:
    """Return every question, by level and title."""
    return sorted(_found().values(), key=lambda number: (LEVELS.index(number.level), number.title))


def get(number_id: str) -> Number | None:
    """Return one question, None where there is none of that id."""
    return _found().get(number_id)


def read(path: Path) -> Number:
    """Read one file. Raises BadNumber, which names what to change."""
    try:
        meta = yaml.safe_load(path.read_text(encoding="utf-8"))
    except yaml.YAMLError as error:
        raise BadNumber(f"{path.name} is not YAML: {error}") from None
    if not isinstance(meta, dict):
        raise BadNumber(f"{path.name} must hold names and values.")
    missing, unknown = _NEEDED - meta.keys(), meta.keys() - _NEEDED - _OPTIONAL
    if missing or unknown:
        named = [f"lacks {', '.join(sorted(missing))}"] if missing else []
        named += [f"has {', '.join(sorted(unknown))}, which nothing reads"] if unknown else []
        raise BadNumber(f"{path.name} {' and '.join(named)}.")
    try:
        meta["calculator"] = calculators.get(meta["calculator"])
    except KeyError as error:
        raise BadNumber(f"{path.name}: {error.args[0]}.") from None
    if meta["level"] not in LEVELS or meta["tier"] not in set(Tier):
        raise BadNumber(f"{path.name}: level is one of {', '.join(LEVELS)}, tier one of {', '.join(Tier)}.")
    number = Number(
        id=path.stem,
        **{name: meta[name] for name in (_NEEDED | {"tolerance", "fixed", "worked"}) & meta.keys()},
        cases=tuple(meta.get("cases", [{}])),
        draw={name: tuple(values) for name, values in meta.get("draw", {}).items()},
        given=tuple((label, str(text)) for label, text in meta.get("given", {}).items()),
    )
    _check(path, number)
    return number


def _check(path: Path, number: Number) -> None:
    """Compute one draw and fill every text with it. Raises BadNumber."""
    inputs = next(number.every())
    try:
        result = number.compute(inputs)
        figure = result.figure(number.figure)
        number.say(number.worked, inputs, result)
        for text in (number.ask, number.method, *(text for _, text in number.given)):
            number.say(text, inputs)
    except (ValueError, KeyError, IndexError) as error:
        raise BadNumber(f"{path.name}: {error.args[0]}") from None
    if units.scale(figure.unit) != 1:
        raise BadNumber(
            f"{path.name}: {figure.name} is in {figure.unit}; ask for the figure in {units.dimension(figure.unit)}."
        )
    if units.dimension(number.unit) != units.dimension(figure.unit):
        raise BadNumber(f"{path.name}: the figure {figure.name} is in {figure.unit}, which {number.unit} cannot be.")
    if units.dimension(number.unit).startswith("bytes") and number.tolerance > checking.WIDEST_FOR_BYTES:
        raise BadNumber(f"{path.name}: with a tolerance above {checking.WIDEST_FOR_BYTES} a GB would pass for a GiB.")
