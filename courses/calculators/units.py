"""Units: their sizes, and how numbers are shown. GB (1e9 bytes) and GiB (2**30 bytes) are never mixed."""

from __future__ import annotations

import math
from decimal import ROUND_HALF_EVEN, Decimal
from fractions import Fraction

Number = int | float

_DECIMAL = {"": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18, "Z": 21, "Y": 24}
_BINARY = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50}


def _table() -> dict[str, tuple[str, Fraction]]:
    """Return unit → (dimension, size in the dimension's base unit)."""
    table: dict[str, tuple[str, Fraction]] = {}

    def put(dimension: str, size: Fraction | int, *names: str) -> None:
        for name in names:
            table[name] = (dimension, Fraction(size))

    put("bytes", 1, "byte", "bytes", "B")
    put("bytes", Fraction(1, 8), "bit", "bits")
    put("bytes/s", 1, "B/s", "bytes/s")
    put("bytes/s", Fraction(1, 8), "bit/s", "bits/s")
    put("FLOP/s", 1, "FLOP/s", "FLOPs/s", "FLOPS")
    put("FLOP", 1, "FLOP", "FLOPs")
    for prefix, power in _DECIMAL.items():
        if not prefix:
            continue
        spellings = ("k", "K") if prefix == "k" else (prefix,)
        for letter in spellings:
            size = Fraction(10) ** power
            put("bytes", size, f"{letter}B")
            put("bytes", size / 8, f"{letter}bit", f"{letter}bits")
            put("bytes/s", size, f"{letter}B/s")
            put("bytes/s", size / 8, f"{letter}bit/s", f"{letter}bps")
            put("FLOP", size, f"{letter}FLOP", f"{letter}FLOPs")
            put("FLOP/s", size, f"{letter}FLOP/s", f"{letter}FLOPs/s", f"{letter}FLOPS")
    for prefix, power in _BINARY.items():
        size = Fraction(2) ** power
        put("bytes", size, f"{prefix}B")
        put("bytes/s", size, f"{prefix}B/s")
    put("s", 1, "s", "sec", "second", "seconds")
    put("s", Fraction(1, 1000), "ms", "millisecond", "milliseconds")
    put("s", Fraction(1, 10**6), "us", "µs", "microsecond", "microseconds")
    put("s", Fraction(1, 10**9), "ns", "nanosecond", "nanoseconds")
    put("s", 60, "min", "minute", "minutes")
    put("s", 3600, "h", "hour", "hours")
    put("s", 86400, "d", "day", "days")
    put("s", 7 * 86400, "week", "weeks")
    put("fraction", 1, "fraction")
    put("fraction", Fraction(1, 100), "%", "percent")
    return table


TABLE = _table()
# In a field of parameters or tokens "B" is a billion; in a field of bytes it is a byte. The field's unit decides.
COUNTS = ("parameters", "tokens")
COUNT_SUFFIXES = {
    "K": 10**3,
    "k": 10**3,
    "M": 10**6,
    "B": 10**9,
    "T": 10**12,
    "thousand": 10**3,
    "million": 10**6,
    "billion": 10**9,
    "trillion": 10**12,
}


def dimension(unit: str) -> str:
    """Return the dimension of a unit; an unknown unit is its own dimension (tokens, layers, devices)."""
    return TABLE[unit][0] if unit in TABLE else unit


def scale(unit: str) -> Fraction:
    """Return how many base units one `unit` is: 2**30 for GiB, 1 for tokens."""
    return TABLE[unit][1] if unit in TABLE else Fraction(1)


def finite(value: Number) -> bool:
    return isinstance(value, int) or math.isfinite(value)


def exact(value: Number) -> str:
    """Return every digit, thousands separated: 1,610,612,736. Floats get 12 significant digits."""
    if isinstance(value, int) or (math.isfinite(value) and value == int(value) and abs(value) < 1e15):
        return f"{int(value):,}"
    return f"{value:,.12g}"


def rounded(value: Number, digits: int = 3) -> str:
    """Return `digits` significant digits, thousands separated; powers of ten from a trillion on and below 0.001."""
    if value == 0:
        return "0"
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"{value!r} cannot be shown")
    decimal = Decimal(value)
    exponent = decimal.adjusted()
    quantum = Decimal(1).scaleb(exponent - digits + 1)
    near = decimal.quantize(quantum, rounding=ROUND_HALF_EVEN)
    exponent = near.adjusted()
    if exponent >= 12 or exponent < -3:
        mantissa = near.scaleb(-exponent).quantize(Decimal(1).scaleb(1 - digits))
        return f"{mantissa} × 10{str(exponent).translate(_SUPERSCRIPT)}"
    if isinstance(value, int) and exponent < digits:
        return f"{value:,}"
    return f"{near.quantize(Decimal(1).scaleb(min(exponent - digits + 1, 0))):,f}"


_SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def show(value: Number, unit: str) -> str:
    """Return a value of a base unit as people read it: "7.08 GB (6.59 GiB)", "23.0 days", "396 TFLOP/s"."""
    if unit == "bytes":
        return _show_bytes(value)
    if unit in ("FLOP/s", "bytes/s"):
        return _with_prefix(value, unit)
    if unit == "FLOP":
        return f"{rounded(value)} FLOP"
    if unit == "s":
        return _show_seconds(value)
    if unit == "fraction":
        return f"{rounded(value * 100)} %"
    if isinstance(value, int) and value < 10**9:  # things that are counted: devices, tokens
        return f"{value:,} {unit}".strip()
    return f"{rounded(value)} {unit}".strip()


def latex(value: Number) -> str:
    """Return a number for a formula: whole below a million, else four digits and a power of ten."""
    if abs(value) < 10**6:
        return f"{int(value)}" if value == int(value) else f"{value:.4g}"
    mantissa, exponent = f"{value:.3e}".split("e")
    return rf"{mantissa.rstrip('0').rstrip('.')} \times 10^{{{int(exponent)}}}"


def _show_bytes(value: Number) -> str:
    size = abs(value)
    if size < 1000:
        return f"{rounded(value)} bytes"
    for letter in ("P", "T", "G", "M", "k"):
        power = 10 ** _DECIMAL[letter]
        if size >= power:
            binary = "Ki" if letter == "k" else f"{letter}i"
            small = value / 2 ** _BINARY[binary]
            return f"{rounded(value / power)} {letter}B ({rounded(small)} {binary}B)"
    raise AssertionError("unreachable: every size from 1000 bytes on has a prefix")


def _with_prefix(value: Number, unit: str) -> str:
    name = {"FLOP/s": "FLOP/s", "bytes/s": "B/s"}[unit]
    for letter in ("E", "P", "T", "G", "M", "k"):
        power = 10 ** _DECIMAL[letter]
        if abs(value) >= power:
            return f"{rounded(value / power)} {letter}{name}"
    return f"{rounded(value)} {name}"


def _show_seconds(value: Number) -> str:
    if abs(value) >= 86400:
        return f"{rounded(value / 86400)} days"
    if abs(value) >= 3600:
        return f"{rounded(value / 3600)} hours"
    if abs(value) >= 60:
        return f"{rounded(value / 60)} minutes"
    if abs(value) >= 1 or value == 0:
        return f"{rounded(value)} s"
    return f"{rounded(value * 1000)} ms"


def format_as(value: Number, spec: str) -> str:
    """Return a value of a base unit in the wording an author asks for.

    `spec` is a unit ("GiB", "%", "days", "TFLOP/s": three significant digits), a unit with a number of decimals
    (".1 %", ".2 GB"), "exact" (every digit, thousands separated), "exact bytes", or ".2" (decimals alone).
    Raises ValueError on anything else.
    """
    words = spec.split()
    decimals: int | None = None
    if words and words[0].startswith(".") and words[0][1:].isdigit():
        decimals = int(words.pop(0)[1:])
    if words and words[0] == "exact":
        return " ".join([exact(value), *words[1:]])
    unit = " ".join(words)
    if unit and unit not in TABLE:
        raise ValueError(f"the format {spec!r} is not known; write a unit (GiB, %, days), .2 GB, or exact")
    sized = float(Fraction(value) / scale(unit)) if unit else value
    if unit and isinstance(value, int) and Fraction(value) % scale(unit) == 0:
        sized = int(Fraction(value) / scale(unit))
    text = rounded(sized) if decimals is None else f"{sized:,.{decimals}f}"
    return f"{text} {unit}".strip() if unit != "fraction" else text
