"""Read numbers that people type. A small tokenizer: nothing is evaluated, nothing can take long.

What is accepted
- digits with a decimal point, and an exponent: `1.5`, `3.1e23`, `3.1*10^23`, and as pages print it: `3.10 × 10²³`;
- thousands separated by commas, spaces or underscores, in groups of three: `1,610,612,736`, `2 048`, `1_000`;
- a unit of the field's dimension: `1.5 GiB`, `12.9 Gbit`, `45 %`, `54 days`, `989 TFLOP/s`;
- in a field of parameters or tokens: `70B`, `15.6T`, `300 billion`. There "B" is a billion, in a field of bytes a byte.

What is asked back, because it has two readings: `1,5 GB` (1.5 or 15?), `1.610.612`, `8K` in a field of a plain number
(8,000 or 8,192?), `16 G` (GB or GiB?), `10 Gb` (gigabit or gigabyte?), `5 m` (minutes or milliseconds?).
"""

from __future__ import annotations

import math
import re
from decimal import Decimal
from fractions import Fraction
from typing import Any

from courses.calculators import units

LONGEST = 64
LARGEST_EXPONENT = 60

_SHAPE = re.compile(
    r"(?P<number>[+-]?[0-9.,_ ]*[0-9.])(?:[eE](?P<exponent>[+-]?[0-9]{1,9}))?\s*(?P<unit>[^\W\d_][^\d]*|%)?"
)
_THOUSANDS = re.compile(r"[+-]?[0-9]{1,3}(?P<mark>[,_ ])[0-9]{3}(?:(?P=mark)[0-9]{3})*(?:\.[0-9]*)?")
_PLAIN = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)")
# a power of ten after the digits, marked as one: `10²³`, `10^23` or `10**23`, and nothing after it that goes on
_POWER_OF_TEN = re.compile(
    r"(?<=[0-9. ])\s*[×x·*]\s*10"
    r"(?:\s*(?:\^|\*\*)\s*(?P<plain>[+-]?[0-9]{1,9})|(?P<raised>[⁺⁻]?[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,9}))"
    r"(?![0-9.,*^⁰¹²³⁴⁵⁶⁷⁸⁹])"
)
_RAISED = str.maketrans("⁺⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "+-0123456789")
_SPACES = str.maketrans({"\u00a0": " ", "\u202f": " ", "\u2009": " ", "\u2212": "-", "μ": "µ"})
_TWO_READINGS = {
    "G": "GB (10⁹ bytes) or GiB (2³⁰ bytes)",
    "M": "MB (10⁶ bytes) or MiB (2²⁰ bytes)",
    "K": "kB (1,000 bytes) or KiB (1,024 bytes)",
    "k": "kB (1,000 bytes) or KiB (1,024 bytes)",
    "T": "TB (10¹² bytes) or TiB (2⁴⁰ bytes)",
    "Gb": "Gbit or GB",
    "Mb": "Mbit or MB",
    "Kb": "kbit or kB",
    "kb": "kbit or kB",
    "Tb": "Tbit or TB",
    "m": "min or ms",
}


def number(raw: Any, unit: str = "") -> int | float:
    """Return a number that takes no other unit than its field's. Raises ValueError with a sentence."""
    value, suffix = _split(raw)
    if suffix in ("K", "k", "M") and unit not in units.COUNTS:
        thousands, power = {"M": ("1,000,000", 20)}.get(suffix, ("1,000", 10))
        raise ValueError(f"“{suffix}” could be {thousands} or {2**power:,}: write the number out.")
    if suffix and suffix not in (unit, unit.rstrip("s")):
        raise ValueError(f"“{suffix}” is not a unit here: type the number alone{f', in {unit}' if unit else ''}.")
    return _plain(value)


def unit_of(raw: Any, unit: str) -> str:
    """Return the unit that was typed, or `unit` where only a number was. Raises ValueError as `quantity` does."""
    return _split(raw)[1] or unit


def quantity(raw: Any, unit: str) -> int | float:
    """Return a quantity in the base unit of `unit`'s dimension; a bare number is in `unit`. Raises ValueError."""
    value, suffix = _split(raw)
    if unit in units.COUNTS:
        return _plain(value * _count(suffix, unit))
    dimension = units.dimension(unit)
    if not suffix:
        if dimension == "fraction" and unit == "fraction" and 1 < value <= 100:
            shown = units.exact(_plain(value))
            raise ValueError(f"Is that {shown} %? Write {shown} %, or {units.exact(_plain(value / 100))}.")
        return _plain(value * units.scale(unit))
    if suffix not in units.TABLE and suffix in _TWO_READINGS:
        raise ValueError(f"“{suffix}” has two readings: write {_TWO_READINGS[suffix]}.")
    if suffix not in units.TABLE:
        raise ValueError(f"“{_short(suffix)}” is not a unit that is known here: write the number in {unit}.")
    found = units.dimension(suffix)
    if (dimension, found) == ("FLOP/s", "FLOP"):  # "989 TFLOPs" in a field of rates can only mean the rate
        found = dimension
    if found != dimension:
        measured, wanted = _WORDS.get(found, found), _WORDS.get(dimension, unit)
        raise ValueError(f"“{suffix}” measures {measured}; this is a field of {wanted}.")
    return _plain(value * units.scale(suffix))


_WORDS = {
    "bytes": "bytes",
    "bytes/s": "bytes per second",
    "FLOP": "work (FLOP)",
    "FLOP/s": "a rate (FLOP/s)",
    "s": "time",
    "fraction": "a fraction",
}


def _count(suffix: str, unit: str) -> int:
    words = suffix.split()
    if words and words[-1] in (unit, unit.rstrip("s"), "params"):
        words.pop()
    if not words:
        return 1
    if len(words) == 1 and words[0] in units.COUNT_SUFFIXES:
        return units.COUNT_SUFFIXES[words[0]]
    raise ValueError(f"“{_short(suffix)}” is not a size of {unit}: write 70B, 15T, 300 billion, or the number.")


def _split(raw: Any) -> tuple[Fraction, str]:
    """Return the number and the unit typed after it, "" where there is none."""
    if isinstance(raw, bool):
        raise ValueError("This must be a number.")
    if isinstance(raw, int | float):
        return _from_number(raw), ""
    if not isinstance(raw, str):
        raise ValueError("This must be a number.")
    text = raw.translate(_SPACES).strip()
    if len(text) > LONGEST:
        raise ValueError(f"That is {len(text)} characters long: write the number with an exponent, as in 3.1e23.")
    text = _POWER_OF_TEN.sub(_exponent, text, count=1)
    if any(character in text for character in "*^()/") and "/s" not in text:
        raise ValueError("Type a number, not an expression: write powers of ten as 1e12; nothing is computed here.")
    if text.lower().lstrip("+-") in ("nan", "inf", "infinity", "∞"):
        raise ValueError("That is not a finite number.")
    shape = _SHAPE.fullmatch(text)
    if shape is None:
        raise ValueError(
            f"“{_short(text)}” is not a number: write it like 1.5, 1,024 or 3.1e23, and a unit if you like."
        )
    digits = _digits(shape["number"].strip())
    exponent = int(shape["exponent"] or 0)
    if abs(exponent) > LARGEST_EXPONENT:
        raise ValueError(f"An exponent of {exponent:,} is beyond anything here: the largest is {LARGEST_EXPONENT}.")
    return Fraction(Decimal(digits)) * Fraction(10) ** exponent, (shape["unit"] or "").strip()


def _exponent(power: re.Match[str]) -> str:
    return f"e{power['plain'] or power['raised'].translate(_RAISED)}"


def _from_number(raw: int | float) -> Fraction:
    if isinstance(raw, float) and not math.isfinite(raw):
        raise ValueError("That is not a finite number.")
    value = Fraction(raw)
    if abs(value) > 10**LARGEST_EXPONENT:
        raise ValueError(f"That is beyond anything here: the largest number is 1e{LARGEST_EXPONENT}.")
    return value


def _digits(text: str) -> str:
    """Return the digits with separators taken out. Raises ValueError where a separator has two readings."""
    if _PLAIN.fullmatch(text):
        return text
    if _THOUSANDS.fullmatch(text):
        return re.sub("[,_ ]", "", text)
    if text.count(",") == 1 and "." not in text:
        whole, rest = text.split(",")
        if whole.lstrip("+-").isdigit() and rest.isdigit():
            raise ValueError(f"“{text}” has two readings: write {whole}.{rest} or {whole}{rest}.")
    raise ValueError(f"“{_short(text)}” has two readings: write one decimal point, and commas only between thousands.")


def _plain(value: Fraction) -> int | float:
    if value.denominator == 1:
        return value.numerator
    return float(value)


def _short(text: str) -> str:
    return text if len(text) <= 24 else text[:24] + "…"
