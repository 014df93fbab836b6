"""The same content as the picture, for reading aloud and for spreadsheets."""

from __future__ import annotations

from collections.abc import Mapping
from csv import writer
from io import StringIO
from typing import Any

from grader.timeline.series import KINDS, phase_at, thin


def rows(timeline: Mapping[str, Any], most: int = 40) -> list[dict[str, Any]]:
    """Return at most `most` moments that tell the story: {"point", "phase", "total", "live", "peak"}.

    They hold each phase's first and last point, the peak and the extremes between; "live" has the kinds above zero.
    """
    total = timeline["total"]
    starts = [phase["start"] for phase in timeline["phases"]]
    return [
        {
            "point": point,
            "phase": phase_at(timeline, point),
            "total": total[point],
            "live": {k: timeline["live"][k][point] for k in timeline["kinds"] if timeline["live"][k][point]},
            "peak": point == timeline["peak_index"],
        }
        for point in thin(total, starts, max(most, 2 * len(starts) + 1))
    ]


def csv(timelines: Mapping[str, Mapping[str, Any] | None]) -> str:
    """Return every point of every run as CSV: run, point, phase, total and the kinds, in bytes."""
    text = StringIO()
    table = writer(text, lineterminator="\n")
    table.writerow(["run", "point", "phase", "total_bytes", *(f"{kind}_bytes" for kind in KINDS)])
    for run, timeline in timelines.items():
        if not timeline:
            continue
        for point, total in enumerate(timeline["total"]):
            live = [timeline["live"][kind][point] if kind in timeline["live"] else 0 for kind in KINDS]
            table.writerow([run, point, phase_at(timeline, point), total, *live])
    return text.getvalue()
