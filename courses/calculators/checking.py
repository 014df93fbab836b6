"""Compare a number that someone typed with the computed one, and name the slip where it is a known one.

Pure, and used by quizzes and by the questions on numbers. GB (10⁹ bytes) and GiB (2³⁰ bytes) are told apart: a figure
that is right in the one and written in the other is not right, and the remark says so.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from courses.calculators import parsing, units
from courses.calculators.units import Number

# Above this a GB would pass for a GiB (7.4 % apart), or an MB for an MiB (4.9 %).
WIDEST_FOR_BYTES = 0.02
_BINARY_OF = {"k": "Ki", "K": "Ki", "M": "Mi", "G": "Gi", "T": "Ti", "P": "Pi"}
_THOUSANDS = (10**3, 10**6, 10**9, 10**12)
_BINARY = (2**10, 2**20, 2**30, 2**40)


@dataclass(frozen=True)
class Checked:
    """`value` is what was typed, in the base unit; `remark` names the slip in a sentence, empty where there is none."""

    right: bool
    value: Number
    remark: str = ""


def read(typed: str, unit: str) -> Number:
    """Return what was typed in the base unit of `unit`. Raises ValueError with a sentence that asks back."""
    typed = _bare(typed, unit)
    if not typed:
        raise ValueError("Type a number first.")
    if unit in units.TABLE or unit in units.COUNTS:
        return parsing.quantity(typed, unit)
    return parsing.number(typed, unit)


def check(typed: str, wanted: Number, unit: str, tolerance: float) -> Checked:
    """Compare `typed` with `wanted`, given in the base unit of `unit`. Raises ValueError as `read` does.

    `tolerance` is relative to `wanted`; 0 asks for the number itself.
    """
    value = read(typed, unit)
    if _near(value, wanted, tolerance):
        return Checked(True, value)
    return Checked(False, value, _slip(value, wanted, parsing.unit_of(_bare(typed, unit), unit), tolerance))


def _bare(typed: str, unit: str) -> str:
    """Return what was typed without a unit that only this field has, such as FLOP/byte."""
    typed = typed.strip()
    if unit and unit not in units.TABLE and unit not in units.COUNTS:
        for name in (unit, unit.replace("FLOP/", "FLOPs/")):
            typed = typed.removesuffix(name).rstrip() or typed
    return typed


def _near(value: Number, wanted: Number, tolerance: float) -> bool:
    return abs(Fraction(value) - Fraction(wanted)) <= Fraction(tolerance) * abs(Fraction(wanted))


def _slip(value: Number, wanted: Number, unit: str, tolerance: float) -> str:
    """Return a sentence on what the typed figure is right for, or "" where nothing is known."""
    if not value or not wanted or (value < 0) != (wanted < 0):
        return ""
    exact = Fraction(value)
    dimension = units.dimension(unit)
    if dimension in ("bytes", "bytes/s"):
        other = _other_prefix(unit)
        if other and _near(float(exact / units.scale(unit) * units.scale(other)), wanted, tolerance):
            one, two = units.exact(int(units.scale(unit))), units.exact(int(units.scale(other)))
            what = "B" if dimension == "bytes" else "B/s"
            return (
                f"The figure is right in {other}, and you wrote it in {unit}: "
                f"1 {unit} is {one} {what}, 1 {other} is {two} {what}."
            )
        for factor, sentence in (
            (8, "That is an eighth of it: a byte has 8 bits. Did bits and bytes change places?"),
            (Fraction(1, 8), "That is eight times it: a byte has 8 bits. Did bits and bytes change places?"),
        ):
            if _near(float(exact * factor), wanted, tolerance):
                return sentence
    for size in (*_THOUSANDS, *(_BINARY if dimension in ("bytes", "bytes/s") else ())):
        for factor, much in ((Fraction(size), "small"), (Fraction(1, size), "large")):
            if _near(float(exact * factor), wanted, tolerance):
                return f"The digits are right and the size is not: it is {size:,} times too {much}."
    if dimension == "fraction" and (_near(value * 100, wanted, tolerance) or _near(value / 100, wanted, tolerance)):
        return "The digits are right: mind the difference between a fraction and per cent."
    for factor, word in ((2, "half of it"), (Fraction(1, 2), "twice it"), (Fraction(1, 3), "three times it")):
        if _near(float(exact * factor), wanted, tolerance):
            return f"That is {word}: look for the factor in the formula."
    return ""


def _other_prefix(unit: str) -> str:
    """Return GiB for GB and GB for GiB, "" where a unit has no such other."""
    for decimal, binary in _BINARY_OF.items():
        for suffix in ("B", "B/s"):
            if unit == decimal + suffix:
                return binary + suffix
            if unit == binary + suffix:
                return ("k" if decimal == "K" else decimal) + suffix
    return ""
