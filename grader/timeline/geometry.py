"""Where everything of a memory timeline's picture stands, in pixels from the upper left: SVG and PNG are both drawn
from this.

"yours" (or else the first run) is stacked by kind, the others are lines on top; phases line up by name.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from grader.timeline.series import LABELS, format_bytes, thin

Corner = tuple[float, float]
Timeline = Mapping[str, Any]

RUN_LABELS = {"yours": "your run", "plain": "plain run", "reference": "reference"}

# Okabe and Ito's colours, which people with any form of colour vision can tell apart.
FILLS = {
    "saved_activation": "#56b4e9",
    "replay_workspace": "#d55e00",
    "gradient": "#e69f00",
    "temporary": "#aab8be",
    "input": "#009e73",
    "optimiser_state": "#8f7fb8",
    "parameter": "#0072b2",
}
# On top of some colours, for who cannot tell them apart at all: strokes on a tile of 6 by 6 pixels.
HATCHES: dict[str, list[tuple[Corner, Corner]]] = {
    "replay_workspace": [((-1, 1), (1, -1)), ((0, 6), (6, 0)), ((5, 7), (7, 5))],
    "gradient": [((1, 3), (2.5, 3)), ((4, 0), (5.5, 0)), ((4, 6), (5.5, 6))],
    "optimiser_state": [((0, 3), (6, 3))],
    "input": [((3, 0), (3, 6))],
    "parameter": [((0, 0), (6, 6)), ((6, 0), (0, 6))],
}
INK, GRID, PEAK = "#475863", "#d5dde0", "#c8371b"
REFERENCE, OTHER = "#1a7a4c", "#6a7a84"
MOST_DRAWN = 400
SECONDARY_SHARE = 0.25  # widest that a phase other than forward and backward may be, beside these two


@dataclass
class Frame:
    """The plot area, and where a point of the main run stands in it."""

    left: float
    right: float
    top: float
    bottom: float
    highest: float
    names: list[str]
    cuts: list[float]
    taken: list[tuple[float, float, float]] = field(default_factory=list)

    def x(self, share: float) -> float:
        return self.left + share * (self.right - self.left)

    def y(self, count: float) -> float:
        return self.bottom - max(0.0, count) / self.highest * (self.bottom - self.top)

    def across(self, timeline: Timeline) -> list[float | None]:
        """Return x where each point begins; phases line up by name, None where the main run has no such phase."""
        edges = [*(phase["start"] for phase in timeline["phases"]), len(timeline["total"])]
        slots = _match([phase["name"] for phase in timeline["phases"]], self.names)
        places: list[float | None] = []
        for phase, slot in enumerate(slots):
            count = edges[phase + 1] - edges[phase]
            if slot is None:
                places += [None] * count
                continue
            left, wide = self.cuts[slot], self.cuts[slot + 1] - self.cuts[slot]
            places += [self.x(left + wide * i / count) for i in range(count)]
        return places

    def bands(self) -> Iterator[tuple[str, float, float]]:
        """Yield each phase's name, left and right edge."""
        for i, name in enumerate(self.names):
            yield name, self.x(self.cuts[i]), self.x(self.cuts[i + 1])

    def scale(self) -> tuple[str, list[tuple[float, str]]]:
        """Return the unit of the vertical axis, and y and text of its marks."""
        unit, size = unit_of(self.highest)
        return unit, [(self.y(value * size), f"{value:,.10g}") for value in ticks(self.highest / size, 5)]

    def place_label(self, at: float, high: float, wide: float) -> Corner:
        """Return x and baseline of a label `wide` pixels wide, beside a point and clear of the labels placed before."""
        left = at + 9 if at + 9 + wide <= self.right else at - 9 - wide
        left = min(max(self.left + 4, left), max(self.left + 4, self.right - wide))
        y = max(self.top + 12, high)
        for step in range(12):
            y = max(self.top + 12, high + (-1) ** step * ((step + 1) // 2) * 15)
            if not any(abs(other - y) < 15 and left < end and start < left + wide for start, end, other in self.taken):
                break
        self.taken.append((left, left + wide, y))
        return left, y


@dataclass
class Layout:
    """One picture: the run that is stacked and its kinds, the runs drawn as lines, what the peak's label says."""

    name: str
    main: Timeline
    runs: dict[str, Timeline]
    kinds: list[str]
    stacked: list[int]
    said: str
    frame: Frame
    phases_baseline: float
    legend_baseline: float

    def layers(self) -> Iterator[tuple[str, list[Corner], list[Corner]]]:
        """Yield each kind with the upper and the lower corners of its area, from the bottom up."""
        kept, places = _kept(self.main), self.frame.across(self.main)
        lefts = [place for i in kept if (place := places[i]) is not None]
        under = [0.0] * len(kept)
        for kind in self.kinds:
            over = [below + max(0, self.main["live"][kind][i]) for below, i in zip(under, kept, strict=True)]
            yield kind, _steps(self.frame, lefts, over), _steps(self.frame, lefts, under)
            under = over

    def lines(self) -> Iterator[tuple[str, list[Corner]]]:
        """Yield each of the other runs with the corners of its line; none for one that shares no phase."""
        for run, timeline in self.runs.items():
            places = self.frame.across(timeline)
            drawn = [(place, timeline["total"][i]) for i in _kept(timeline) if (place := places[i]) is not None]
            yield run, _steps(self.frame, *map(list, zip(*drawn, strict=True))) if drawn else []

    def peak(self) -> Corner:
        index = self.main["peak_index"]
        return self.frame.across(self.main)[index] or self.frame.left, self.frame.y(self.stacked[index])

    def labels(self) -> Iterator[tuple[str, Corner]]:
        """Yield the text on each of the other runs' highest points, and that point."""
        for run, timeline in self.runs.items():
            highest = max(timeline["total"])
            place = self.frame.across(timeline)[timeline["total"].index(highest)]
            text = f"{RUN_LABELS.get(run, run)} {format_bytes(highest)}"
            yield text, (place or self.frame.left, self.frame.y(highest))

    def legend(self) -> Iterator[tuple[str, float]]:
        """Yield each kind and the left edge of its box in the legend."""
        x = self.frame.left
        for kind in self.kinds:
            yield kind, x
            x += 15 + len(LABELS[kind]) * 6.4 + 16


def lay_out(
    timelines: Mapping[str, Timeline | None], width: int, height: int, peak: Timeline | None, legend: bool
) -> Layout | None:
    """Return the places of everything in a picture of these runs; None if there is none."""
    runs = {name: timeline for name, timeline in timelines.items() if timeline and timeline["total"]}
    if not runs:
        return None
    name = "yours" if "yours" in runs else next(iter(runs))
    main = runs.pop(name)
    kinds = [kind for kind in main["kinds"] if any(value > 0 for value in main["live"][kind])]
    stacked = [sum(max(0, main["live"][kind][i]) for kind in kinds) for i in range(len(main["total"]))]
    highest = 1.08 * max(1, *stacked, *(max(run["total"]) for run in runs.values()))
    names = [phase["name"] for phase in main["phases"]]
    frame = Frame(52, width - 12, 24, height - (46 if legend else 26), highest, names, _cuts(main))
    said = f"peak {format_bytes(main['total'][main['peak_index']])}{_where(peak)}"
    return Layout(name, main, runs, kinds, stacked, said, frame, height - (28 if legend else 8), height - 8)


def _match(names: Sequence[str], slots: Sequence[str]) -> list[int | None]:
    """Give each phase the slot of the same name, the second "forward" the second one."""
    free = list(enumerate(slots))
    found: list[int | None] = []
    for name in names:
        slot = next((place for place in free if place[1] == name), None)
        if slot:
            free.remove(slot)
        found.append(slot[0] if slot else None)
    return found


def _cuts(main: Mapping[str, Any]) -> list[float]:
    """Share the width among phases by their points; an optimiser makes thousands of small ones, so it is capped."""
    edges = [*(phase["start"] for phase in main["phases"]), len(main["total"])]
    counts = [float(edges[i + 1] - edges[i]) for i in range(len(edges) - 1)]
    primary = [phase["name"].split(" ")[0] in ("forward", "backward") for phase in main["phases"]]
    most = SECONDARY_SHARE * sum(count for count, first in zip(counts, primary, strict=True) if first)
    if most:
        counts = [count if first else min(count, most) for count, first in zip(counts, primary, strict=True)]
    whole, cuts = sum(counts), [0.0]
    for count in counts:
        cuts.append(cuts[-1] + count / whole)
    return cuts


def _where(peak: Mapping[str, Any] | None) -> str:
    if not peak:
        return ""
    place = f" of {peak['module']}" if peak.get("module") else ""
    operator = f": {peak['operator']}" if peak.get("operator") else ""
    return f" in {peak['phase']}{place}{operator}" if peak.get("phase") else ""


def unit_of(highest: float) -> tuple[str, int]:
    for unit, size in (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10)):
        if highest >= size:
            return unit, size
    return "bytes", 1


def ticks(top: float, most: int) -> list[float]:
    power = 10.0 ** math.floor(math.log10(top / most))
    step = next(one * power for one in (1, 2, 2.5, 5, 10) if one * power >= top / most)
    return [i * step for i in range(int(top / step + 1e-9) + 1)]


def _kept(timeline: Mapping[str, Any]) -> list[int]:
    return thin(timeline["total"], [phase["start"] for phase in timeline["phases"]], MOST_DRAWN)


def _steps(frame: Frame, lefts: Sequence[float], values: Sequence[float]) -> list[tuple[float, float]]:
    """Return the corners of a step line: each value holds until the next point; flat stretches are one step."""
    corners: list[tuple[float, float]] = []
    for i, (left, value) in enumerate(zip(lefts, values, strict=True)):
        y = frame.y(value)
        if corners and abs(corners[-1][1] - y) < 0.05 and i < len(lefts) - 1:
            continue
        if corners:
            corners.append((left, corners[-1][1]))
        corners.append((left, y))
    corners.append((frame.right, corners[-1][1]))
    return corners
