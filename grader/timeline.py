"""Live bytes over one update as JSON, picture and table. Imports no torch: the web process draws with it.

A timeline is {"phases": [{"name", "start"}, ...], "kinds": [...], "live": {kind: [bytes per point, ...]},
"total": [...], "peak_index": int}: `start` is the index of a phase's first point, all lists have one length, and the
kinds sum to the total at every point. Bytes are above what was live when the update started, so a point can be below
zero where the update freed what was there before.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

KINDS = (
    "saved_activation",
    "replay_workspace",
    "gradient",
    "temporary",
    "input",
    "optimiser_state",
    "parameter",
)
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


def build(
    phases: Sequence[tuple[str, int]], kept: Sequence[int], live: Mapping[str, Sequence[int]]
) -> dict[str, Any]:
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
