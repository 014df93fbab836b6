"""The points of a trade-off: read from a lab's artefact, found for a verdict, and laid out as rows."""

from __future__ import annotations

import json
from collections.abc import Iterator
from csv import writer
from dataclasses import dataclass
from io import StringIO
from typing import Any

from grader.catalog import Lab

FILE = "tradeoff.json"

OWN = "yours"
"""The name of the point that is a learner's run."""

NEAR = 0.01
"""How far the plain run's peak may lie from the artefact's: another processor's operators may take other scratch."""


@dataclass(frozen=True)
class Point:
    """One run of the update: a name for code, words for people, peak bytes and FLOPs, both metered."""

    name: str
    words: str
    peak_bytes: int
    step_flops: int


@dataclass(frozen=True)
class Tradeoff:
    """One update in one size: `methods` by name, the plain run first, and `frontier` from least bytes to least work.

    The frontier holds the schedules that repeat least under growing budgets, of those that keep or replay whole
    blocks, each replayed once at most.
    """

    case: str
    methods: tuple[Point, ...]
    frontier: tuple[Point, ...]
    command: str
    torch: str

    @property
    def plain(self) -> Point:
        return self.methods[0]

    def again(self, point: Point) -> float:
        """Return the work that a run repeats, as a fraction of the plain update's."""
        return point.step_flops / self.plain.step_flops - 1


def load(lab: Lab) -> list[Tradeoff]:
    """Return the trade-offs of a lab, one a size of its main case; none where it has no artefact."""
    path = lab.folder / FILE
    if not path.is_file():
        return []
    data = json.loads(path.read_text(encoding="utf-8"))
    return [
        Tradeoff(
            made["case"],
            tuple(Point(**point) for point in made["methods"]),
            tuple(Point(**point) for point in made["frontier"]),
            data["command"],
            data["torch"],
        )
        for made in data["sizes"]
    ]


def find(lab: Lab, plain_peak_bytes: int | None, plain_flops: int | None) -> Tradeoff | None:
    """Return the trade-off of the update whose plain run had these figures; None where the lab has none of it."""
    if not plain_peak_bytes or not plain_flops:
        return None
    fitting = (made for made in load(lab) if made.plain.step_flops == plain_flops)
    return next((made for made in fitting if abs(made.plain.peak_bytes / plain_peak_bytes - 1) <= NEAR), None)


def rows(tradeoff: Tradeoff, own: Point | None = None) -> Iterator[tuple[Point, float]]:
    """Yield every point with the work it repeats: one's own first, the methods, the frontier."""
    for point in (*([own] if own else []), *tradeoff.methods, *tradeoff.frontier):
        yield point, tradeoff.again(point)


def csv(tradeoff: Tradeoff, own: Point | None = None) -> str:
    """Return every point as CSV: run, peak in bytes, work in FLOPs, work repeated as a fraction of the plain update."""
    text = StringIO()
    table = writer(text, lineterminator="\n")
    table.writerow(["run", "peak_bytes", "step_flops", "repeated_fraction"])
    for point, again in rows(tradeoff, own):
        table.writerow([point.words, point.peak_bytes, point.step_flops, f"{again:.6f}"])
    return text.getvalue()


def to_json(tradeoff: Tradeoff) -> dict[str, Any]:
    """Return one size as the artefact holds it."""
    points = {"methods": tradeoff.methods, "frontier": tradeoff.frontier}
    return {"case": tradeoff.case} | {key: [vars(point) for point in value] for key, value in points.items()}
