"""Choose the points of a timeline and put it together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

LABELS = {
    "saved_activation": "saved activations",
    "replay_workspace": "replay workspace",
    "gradient": "gradients",
    "temporary": "temporaries",
    "input": "inputs",
    "optimiser_state": "optimiser state",
    "parameter": "parameters",
}
KINDS = tuple(LABELS)
MOST_POINTS = 2_000


def thin(totals: Sequence[int], starts: Sequence[int], most: int = MOST_POINTS) -> list[int]:
    """Choose at most `most` of the points, in order: every phase's first and last, the peak, and the extremes between.

    Points are put into equal buckets and the lowest and highest of each are kept, so no spike is lost. Raises
    ValueError where `most` cannot hold the ends of every phase.
    """
    ends = [*starts[1:], len(totals)]
    always = {*starts, *(end - 1 for end in ends), max(range(len(totals)), key=totals.__getitem__)}
    if len(always) > most:
        raise ValueError(f"{len(starts)} phases do not fit into {most} points")
    if len(totals) <= most:
        return list(range(len(totals)))
    buckets = (most - len(always)) // 2
    chosen = set(always)
    for bucket in range(buckets):
        indices = range(bucket * len(totals) // buckets, (bucket + 1) * len(totals) // buckets)
        chosen.add(min(indices, key=totals.__getitem__))
        chosen.add(max(indices, key=totals.__getitem__))
    return sorted(chosen)


def build(phases: Sequence[tuple[str, int]], kept: Sequence[int], live: Mapping[str, Sequence[int]]) -> dict[str, Any]:
    """Put a timeline together from phases (name, first point), the points kept of it, and their bytes by kind."""
    position = {point: index for index, point in enumerate(kept)}
    total = [sum(values) for values in zip(*live.values(), strict=True)]
    return {
        "phases": [{"name": name, "start": position[start]} for name, start in phases],
        "kinds": list(live),
        "live": {kind: list(values) for kind, values in live.items()},
        "total": total,
        "peak_index": max(range(len(total)), key=total.__getitem__),
    }


def phase_at(timeline: Mapping[str, Any], index: int) -> str:
    """Return the name of the phase that a point lies in."""
    return next((phase["name"] for phase in reversed(timeline["phases"]) if phase["start"] <= index), "")


def format_bytes(count: int) -> str:
    """Write a number of bytes in the binary unit that reads best, to three significant digits: "48.1 MiB"."""
    size = float(count)
    units = ["bytes", "KiB", "MiB", "GiB", "TiB"]
    while abs(size) >= 999.5 and len(units) > 1:
        size /= 1024
        units.pop(0)
    if units[0] == "bytes":
        return f"{count:,} byte{'' if abs(count) == 1 else 's'}"
    decimals = 2 if abs(size) < 9.995 else 1 if abs(size) < 99.95 else 0
    return f"{size:,.{decimals}f} {units[0]}"
