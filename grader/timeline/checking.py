"""Check a timeline that comes from a process that the learner's code ran in."""

from __future__ import annotations

import re
from typing import Any

from grader.timeline.series import KINDS, MOST_POINTS

MOST_PHASES = 64
LARGEST = 2**53  # bytes; also the last integer that JSON readers agree on

_NAME = re.compile(r"[a-z][a-z0-9 _-]{0,31}")


def validate(data: Any) -> dict[str, Any]:
    """Return a fresh copy of a well-formed timeline. Raises ValueError saying what is wrong with any other."""
    if not isinstance(data, dict) or set(data) != {"phases", "kinds", "live", "total", "peak_index"}:
        raise ValueError("a timeline has exactly phases, kinds, live, total and peak_index")
    total = _bytes(data["total"], "total")
    if not total:
        raise ValueError("a timeline has at least one point")
    kinds = data["kinds"]
    if not isinstance(kinds, list) or not all(isinstance(kind, str) and kind in KINDS for kind in kinds):
        raise ValueError(f"kinds must be a list of {', '.join(KINDS)}")
    if len(set(kinds)) != len(kinds):
        raise ValueError("a kind is listed twice")
    live = data["live"]
    if not isinstance(live, dict) or set(live) != set(kinds):
        raise ValueError("live must hold one list for each kind")
    series = {kind: _bytes(live[kind], f"live {kind}") for kind in kinds}
    if any(len(values) != len(total) for values in series.values()):
        raise ValueError("all lists of a timeline must have the same length")
    if [sum(values) for values in zip(*series.values(), strict=True)] != total:
        raise ValueError("the kinds do not sum to the total")
    peak = data["peak_index"]
    if type(peak) is not int or not 0 <= peak < len(total) or total[peak] != max(total):
        raise ValueError("peak_index must point at the highest total")
    return {
        "phases": _phases(data["phases"], len(total)),
        "kinds": list(kinds),
        "live": series,
        "total": total,
        "peak_index": peak,
    }


def _bytes(values: Any, name: str) -> list[int]:
    if not isinstance(values, list) or len(values) > MOST_POINTS:
        raise ValueError(f"{name} must be a list of at most {MOST_POINTS:,} points")
    # `type`, not `isinstance`: True is an int too.
    if not all(type(value) is int and -LARGEST < value < LARGEST for value in values):
        raise ValueError(f"{name} must hold whole numbers of bytes")
    return list(values)


def _phases(phases: Any, points: int) -> list[dict[str, Any]]:
    if not isinstance(phases, list) or not 1 <= len(phases) <= MOST_PHASES:
        raise ValueError(f"a timeline has between 1 and {MOST_PHASES} phases")
    checked: list[dict[str, Any]] = []
    for phase in phases:
        if not isinstance(phase, dict) or set(phase) != {"name", "start"}:
            raise ValueError("a phase has exactly name and start")
        name, start = phase["name"], phase["start"]
        if not isinstance(name, str) or not _NAME.fullmatch(name):
            raise ValueError("a phase's name is up to 32 lower-case letters, digits, spaces and dashes")
        lowest = checked[-1]["start"] + 1 if checked else 0
        if type(start) is not int or not lowest <= start < points or (not checked and start != 0):
            raise ValueError("phases must start at 0 and follow one another within the points")
        checked.append({"name": name, "start": start})
    return checked
