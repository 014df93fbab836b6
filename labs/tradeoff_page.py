"""A verdict's run on memory against work, beside its lab's methods and frontier. Pure functions of a verdict."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from grader import catalog, tradeoff
from grader.tradeoff import OWN, Point, Tradeoff
from grader.verdict import Verdict
from labs import units
from labs.verdict_page import Figure, share


@dataclass(frozen=True)
class Placed:
    """A lab's trade-off of the update that a verdict measured, and the learner's run in it."""

    made: Tradeoff
    own: Point

    def csv(self) -> str:
        return tradeoff.csv(self.made, self.own)

    def svg(self, **options: Any) -> str:
        return tradeoff.svg(self.made, self.own, **options)


def place(verdict: Verdict) -> Placed | None:
    """Return where the verdict's run lies; None where its lab has no trade-off of the update that it measured."""
    measured = verdict.measurements
    if verdict.device != "cpu" or not measured.peak_bytes or not measured.step_flops:
        return None
    lab = next((lab for lab in catalog.all_labs() if lab.slug == verdict.lab), None)
    made = tradeoff.find(lab, measured.plain_peak_bytes, measured.plain_flops) if lab else None
    return Placed(made, Point(OWN, "your run", measured.peak_bytes, measured.step_flops)) if made else None


def context(verdict: Verdict) -> dict[str, Any]:
    """Return what `labs/tradeoff.html` prints; nothing where there is no trade-off."""
    placed = place(verdict)
    if placed is None:
        return {}
    rows = [
        {
            "point": point,
            "peak": Figure(units.of_bytes(point.peak_bytes), units.exact(point.peak_bytes, "bytes")),
            "work": Figure(units.of_flops(point.step_flops), units.exact(point.step_flops, "FLOP")),
            "again": f"{units.three(100 * again)} %",
        }
        for point, again in tradeoff.rows(placed.made, placed.own)
    ]
    return {
        "wide": placed.svg(),
        "narrow": placed.svg(width=340, height=320, prefix="tradeoff-narrow"),
        "rows": rows,
        "sentence": sentence(placed),
        "source": placed.made,
    }


def sentence(placed: Placed) -> str:
    """Compare the run with the best schedule of whole blocks that needs no more bytes."""
    own, made = placed.own, placed.made
    does = f"Your run needs {units.of_bytes(own.peak_bytes)} at its peak and does {_again(made, own)} again."
    within = [point for point in made.frontier if point.peak_bytes <= own.peak_bytes]
    best = min(within, key=lambda point: point.step_flops, default=None)
    if best is None:
        return f"{does} No schedule of whole blocks needs so few bytes."
    if own.step_flops < best.step_flops:
        return f"{does} No schedule of whole blocks does so little again in so few bytes."
    if own.step_flops == best.step_flops:
        return f"{does} No schedule of whole blocks does less in as many bytes."
    return f"{does} The best schedule of whole blocks in as many bytes does {_again(made, best)} again."


def _again(made: Tradeoff, point: Point) -> str:
    if point.step_flops <= made.plain.step_flops:
        return "none of the plain update's work"
    return f"{share(point.step_flops - made.plain.step_flops, made.plain.step_flops)} of the plain update's work"
