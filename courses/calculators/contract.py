"""What a calculator is: fields in, figures out, and the sentences that go with them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from courses.calculators import parsing, units

Kind = Literal["int", "float", "choice", "quantity"]
Number = int | float


class InputError(ValueError):
    """Inputs that cannot be computed with. `errors` maps a field's name to one sentence for the person who typed it."""

    def __init__(self, errors: Mapping[str, str]) -> None:
        self.errors = dict(errors)
        super().__init__(" ".join(f"{name}: {sentence}" for name, sentence in self.errors.items()))


@dataclass(frozen=True)
class Field:
    """One input.

    `unit` is what a bare number means, and what `default`, `min` and `max` are given in. A `quantity` also takes the
    other units of its dimension ("1.5 GiB" in a field of GB, "45 %" in a field of fractions) and reaches the calculator
    in the base unit: bytes, seconds, FLOP, FLOP/s, bytes/s, or a plain count or fraction.
    `default` None makes the field optional: empty reaches the calculator as None.
    """

    name: str
    label: str
    unit: str = ""
    default: Number | str | None = None
    kind: Kind = "int"
    min: Number | None = None
    max: Number | None = None
    choices: tuple[tuple[str, str], ...] = ()
    help: str = ""

    @property
    def optional(self) -> bool:
        return self.default is None

    def read(self, raw: Any) -> Any:
        """Return the typed value of what was typed. Raises ValueError with a sentence for the person."""
        if raw is None or (isinstance(raw, str) and not raw.strip()):
            if self.optional:
                return None
            raise ValueError("This is needed: type a number." if self.kind != "choice" else "Choose one of these.")
        if self.kind == "choice":
            return self._read_choice(raw)
        value = self._read_number(raw)
        self._check_range(value)
        return value

    def _read_choice(self, raw: Any) -> str:
        wanted = str(raw)
        values = [value for value, _ in self.choices]
        if wanted not in values:
            raise ValueError(f"Choose one of {', '.join(values)}.")
        return wanted

    def _read_number(self, raw: Any) -> Number:
        if self.kind == "quantity":
            return parsing.quantity(raw, self.unit)
        value = parsing.number(raw, self.unit)
        if self.kind == "int":
            if value != int(value):
                raise ValueError("This must be a whole number.")
            return int(value)
        return float(value)

    def _check_range(self, value: Number) -> None:
        scale = units.scale(self.unit) if self.kind == "quantity" else 1
        if self.min is not None and value < self.min * scale:
            raise ValueError(f"This must be at least {self._bound(self.min)}.")
        if self.max is not None and value > self.max * scale:
            raise ValueError(f"This must be at most {self._bound(self.max)}.")

    def _bound(self, bound: Number) -> str:
        unit = "" if self.unit == "fraction" else self.unit
        return f"{units.exact(bound)} {unit}".strip()


@dataclass(frozen=True)
class Figure:
    """One computed number. `value` is in the base unit; `display` is what people read, with its unit."""

    name: str
    label: str
    value: Number
    unit: str
    display: str

    @classmethod
    def of(cls, name: str, label: str, value: Number, unit: str) -> Figure:
        return cls(name, label, value, unit, units.show(value, unit))


@dataclass(frozen=True)
class Result:
    """What a calculator answers.

    formula     the formula with this person's numbers in it, as text; `latex` the same for MathML
    establishes what the result shows, and `to_measure` what it cannot show and has to be measured
    convention  which convention was counted by, where several exist
    """

    figures: tuple[Figure, ...]
    formula: str
    latex: str
    establishes: str
    to_measure: str
    convention: str

    def __getitem__(self, name: str) -> Number:
        """Return a figure's value by name. Raises KeyError with the known names."""
        for figure in self.figures:
            if figure.name == name:
                return figure.value
        raise KeyError(f"no figure {name!r}; there are {', '.join(figure.name for figure in self.figures)}")

    def figure(self, name: str) -> Figure:
        """Return a figure by name. Raises KeyError with the known names."""
        self[name]
        return next(figure for figure in self.figures if figure.name == name)


@dataclass(frozen=True)
class Calculator:
    """One calculator: `work` receives every field's typed value by name and returns a Result, or raises InputError."""

    id: str
    title: str
    summary: str
    fields: tuple[Field, ...]
    work: Callable[..., Result]

    def read(self, inputs: Mapping[str, Any]) -> dict[str, Any]:
        """Return typed values for all fields; what is absent takes its default. Raises InputError."""
        known = {field.name for field in self.fields}
        errors = {
            name: f"There is no such input; there are {', '.join(sorted(known))}."
            for name in inputs
            if name not in known
        }
        values: dict[str, Any] = {}
        for field in self.fields:
            try:
                values[field.name] = field.read(inputs.get(field.name, field.default))
            except ValueError as error:
                errors[field.name] = str(error)
        if errors:
            raise InputError(errors)
        return values

    def compute(self, inputs: Mapping[str, Any]) -> Result:
        """Compute from what people typed or authors wrote: text or numbers, in each field's unit. Raises InputError."""
        result = self.work(**self.read(inputs))
        for figure in result.figures:
            if not units.finite(figure.value):
                raise InputError({self.fields[0].name: f"{figure.label} is beyond what a number holds: go smaller."})
        return result
