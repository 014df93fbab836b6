"""Print measured figures: three significant digits to read, the exact figure beside it."""

from __future__ import annotations

import math
from typing import Any

_BYTES = ("bytes", "KiB", "MiB", "GiB", "TiB")
_DECIMAL = ("", "k", "M", "G", "T", "P")


def three(value: float) -> str:
    """Return a number with three significant digits, thousands separated: 48.1, 1,230, 2.4e-7."""
    if value == 0:
        return "0"
    if not math.isfinite(value):
        return "NaN" if math.isnan(value) else ("infinity" if value > 0 else "-infinity")
    size = abs(value)
    if size < 1e-3 or size >= 1e15:
        mantissa, exponent = f"{value:.3g}".split("e")
        return f"{mantissa}e{int(exponent)}"
    decimals = 2 - math.floor(math.log10(size))
    rounded = round(value, decimals)
    decimals = max(0, 2 - math.floor(math.log10(abs(rounded))))
    return f"{rounded:,.{decimals}f}"


def of_bytes(value: float) -> str:
    """Return a number of bytes in the binary unit that reads best: 48.1 MiB."""
    size, unit = float(value), 0
    while abs(size) >= 999.5 and unit < len(_BYTES) - 1:
        size /= 1024
        unit += 1
    if unit == 0:
        return f"{value:,.0f} byte{'' if abs(value) == 1 else 's'}"
    return f"{three(size)} {_BYTES[unit]}"


def of_flops(value: float) -> str:
    """Return a number of floating-point operations with a decimal prefix: 3.22 GFLOP."""
    size, unit = float(value), 0
    while abs(size) >= 999.5 and unit < len(_DECIMAL) - 1:
        size /= 1000
        unit += 1
    return f"{three(size)} {_DECIMAL[unit]}FLOP"


def of_seconds(value: float) -> str:
    """Return a duration: 3.1 s, 84.2 ms, 12.0 µs."""
    for factor, unit in ((1.0, "s"), (1e3, "ms"), (1e6, "µs")):
        if abs(value) * factor >= 1 or unit == "µs":
            return f"{three(value * factor)} {unit}"
    raise AssertionError("unreachable: the last unit always matches")


def exact(value: float, unit: str) -> str:
    """Return the whole figure, for the tip over a rounded one."""
    return f"{value:,} {unit}" if isinstance(value, int) else f"{value!r} {unit}".strip()


def of(value: Any, unit: str = "") -> str:
    """Return a check's value as a reader wants it. Text comes through as the judge wrote it."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        known = {"bytes": of_bytes, "byte": of_bytes, "flops": of_flops, "flop": of_flops, "s": of_seconds}
        if unit.lower() in known:
            return known[unit.lower()](value)
        shown = f"{value:,}" if isinstance(value, int) else three(value)
        return shown if unit == "relative" else f"{shown} {unit}".strip()
    return f"{value} {unit}".strip()
