"""Draw a memory timeline as SVG: bytes stacked by kind, other runs as lines, phases and peak named.

Colours come from CSS classes (`m-<kind>`, `line-<run>`, `band`, `grid`, `peak`), with presentation attributes as the
fallback where no style sheet is; there is no style attribute, so a strict content policy lets it through.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any

from grader.timeline.series import LABELS, format_bytes, thin

RUN_LABELS = {"yours": "your run", "plain": "plain run", "reference": "reference"}

# Okabe and Ito's colours, which people with any form of colour vision can tell apart; a pattern on top of some.
FILLS = {
    "saved_activation": "#56b4e9",
    "replay_workspace": "#d55e00",
    "gradient": "#e69f00",
    "temporary": "#aab8be",
    "input": "#009e73",
    "optimiser_state": "#8f7fb8",
    "parameter": "#0072b2",
}
PATTERNS = {
    "replay_workspace": '<path d="M-1 1 1 -1M0 6 6 0M5 7 7 5"/>',
    "gradient": '<path d="M1 3h1.5M4 0h1.5M4 6h1.5"/>',
    "optimiser_state": '<path d="M0 3h6"/>',
    "input": '<path d="M3 0v6"/>',
    "parameter": '<path d="M0 0 6 6M6 0 0 6"/>',
}
STYLE = (
    "text{font:12px system-ui,sans-serif;fill:#475863;font-variant-numeric:tabular-nums}"
    ".peaktext{fill:#c8371b;font-weight:600}.onplot,.peaktext{paint-order:stroke;stroke:#fff;stroke-width:3px}"
)
MOST_DRAWN = 400
SECONDARY_SHARE = 0.25  # widest that a phase other than forward and backward may be, beside these two


@dataclass
class _Frame:
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

    def across(self, timeline: Mapping[str, Any]) -> list[float | None]:
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


def svg(
    timelines: Mapping[str, Mapping[str, Any] | None],
    width: int = 900,
    height: int = 320,
    *,
    peak: Mapping[str, Any] | None = None,
    legend: bool = True,
    prefix: str = "timeline",
    standalone: bool = False,
) -> str:
    """Return the picture of one or more runs ("yours", "plain", "reference", ...); "" if there is none.

    "yours" (or else the first) is stacked by kind, the others are lines: "reference" solid, the rest dashed.
    `peak` (with "phase", "module" and "operator", as `grader.meter` gives it) names the peak; `prefix` keeps the ids
    of two pictures on a page apart; `standalone` embeds fonts and a background, for a file of its own.
    """
    runs = {name: timeline for name, timeline in timelines.items() if timeline and timeline["total"]}
    if not runs:
        return ""
    name = "yours" if "yours" in runs else next(iter(runs))
    main = runs.pop(name)
    kinds = [kind for kind in main["kinds"] if any(value > 0 for value in main["live"][kind])]
    stacked = [sum(max(0, main["live"][kind][i]) for kind in kinds) for i in range(len(main["total"]))]
    highest = 1.08 * max(1, *stacked, *(max(run["total"]) for run in runs.values()))
    cuts = _cuts(main)
    names = [phase["name"] for phase in main["phases"]]
    frame = _Frame(52, width - 12, 24, height - (46 if legend else 26), highest, names, cuts)
    said = f"peak {format_bytes(main['total'][main['peak_index']])}{_where(peak)}"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="plot" viewBox="0 0 {width} {height}" role="img"'
        f' aria-labelledby="{prefix}-title" font-family="system-ui, sans-serif" font-size="12">',
        f'<title id="{prefix}-title">{escape(_summary(RUN_LABELS.get(name, name), said, runs))}</title>',
    ]
    if standalone:
        parts.append(f'<style>{STYLE}</style><rect width="{width}" height="{height}" fill="#fff"/>')
    parts.append(_defs(kinds, prefix))
    parts += _axes(frame, main, height - (28 if legend else 8))
    parts += _stack(frame, main, kinds, prefix)
    parts += [_line(frame, run, timeline) for run, timeline in runs.items()]
    parts += _labels(frame, main, stacked, said, runs)
    if legend:
        parts += _legend(frame, kinds, height - 8, prefix)
    parts.append("</svg>")
    return "".join(parts)


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


def _summary(name: str, said: str, runs: Mapping[str, Mapping[str, Any]]) -> str:
    others = "".join(f"; {RUN_LABELS.get(run, run)} {format_bytes(max(t['total']))}" for run, t in runs.items())
    return f"Live bytes over one update, {name}: {said}{others}"


def _defs(kinds: Sequence[str], prefix: str) -> str:
    patterns = (
        f'<pattern id="{prefix}-{kind}" width="6" height="6" patternUnits="userSpaceOnUse">'
        f'<g class="hatch" stroke="#fff" stroke-opacity=".6" stroke-width="1.2" fill="none">{PATTERNS[kind]}</g>'
        "</pattern>"
        for kind in kinds
        if kind in PATTERNS
    )
    return f"<defs>{''.join(patterns)}</defs>"


def _axes(frame: _Frame, main: Mapping[str, Any], baseline: float) -> list[str]:
    parts = []
    for i, phase in enumerate(main["phases"]):
        left, right = frame.x(frame.cuts[i]), frame.x(frame.cuts[i + 1])
        if i % 2 == 0:
            parts.append(
                f'<rect class="band" x="{left:.1f}" y="{frame.top}" width="{right - left:.1f}"'
                f' height="{frame.bottom - frame.top:.1f}" fill="#d5dde0" fill-opacity=".28"/>'
            )
        if right - left > 7 * len(phase["name"]):
            middle = (left + right) / 2
            parts.append(f'<text x="{middle:.1f}" y="{baseline}" text-anchor="middle">{escape(phase["name"])}</text>')
    unit, size = _unit(frame.highest)
    for value in _ticks(frame.highest / size, 5):
        y = frame.y(value * size)
        parts.append(
            f'<line class="grid" x1="{frame.left}" x2="{frame.right}" y1="{y:.1f}" y2="{y:.1f}" stroke="#d5dde0"/>'
            f'<text x="{frame.left - 8}" y="{y + 4:.1f}" text-anchor="end">{value:,.10g}</text>'
        )
    parts.append(f'<text x="{frame.left}" y="15">{unit} live</text>')
    return parts


def _unit(highest: float) -> tuple[str, int]:
    for unit, size in (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10)):
        if highest >= size:
            return unit, size
    return "bytes", 1


def _ticks(top: float, most: int) -> list[float]:
    power = 10.0 ** math.floor(math.log10(top / most))
    step = next(one * power for one in (1, 2, 2.5, 5, 10) if one * power >= top / most)
    return [i * step for i in range(int(top / step + 1e-9) + 1)]


def _stack(frame: _Frame, main: Mapping[str, Any], kinds: Sequence[str], prefix: str) -> list[str]:
    kept = _kept(main)
    places = frame.across(main)
    lefts = [place for i in kept if (place := places[i]) is not None]
    under = [0.0] * len(kept)
    parts = []
    for kind in kinds:
        over = [below + max(0, main["live"][kind][i]) for below, i in zip(under, kept, strict=True)]
        lower = _steps(frame, lefts, under)
        backwards = "L".join(f"{x:.1f},{y:.1f}" for x, y in reversed(lower))
        forwards = "L".join(f"{x:.1f},{y:.1f}" for x, y in _steps(frame, lefts, over))
        shape = f'd="M{forwards}L{backwards}Z"'
        parts.append(f'<path class="m-{kind}" fill="{FILLS[kind]}" {shape}/>')
        if kind in PATTERNS:
            parts.append(f'<path fill="url(#{prefix}-{kind})" {shape}/>')
        under = over
    return parts


def _kept(timeline: Mapping[str, Any]) -> list[int]:
    return thin(timeline["total"], [phase["start"] for phase in timeline["phases"]], MOST_DRAWN)


def _steps(frame: _Frame, lefts: Sequence[float], values: Sequence[float]) -> list[tuple[float, float]]:
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


def _line(frame: _Frame, run: str, timeline: Mapping[str, Any]) -> str:
    places = frame.across(timeline)
    drawn = [(place, timeline["total"][i]) for i in _kept(timeline) if (place := places[i]) is not None]
    if not drawn:
        return ""
    corners = _steps(frame, [place for place, _ in drawn], [value for _, value in drawn])
    path = "L".join(f"{x:.1f},{y:.1f}" for x, y in corners)
    look = 'stroke="#1a7a4c"' if run == "reference" else 'stroke="#6a7a84" stroke-dasharray="4 3"'
    return f'<path class="line line-{escape(run)}" fill="none" {look} stroke-width="1.4" d="M{path}"/>'


def _labels(
    frame: _Frame, main: Mapping[str, Any], stacked: Sequence[int], said: str, runs: Mapping[str, Mapping[str, Any]]
) -> list[str]:
    index = main["peak_index"]
    at, high = frame.across(main)[index] or frame.left, frame.y(stacked[index])
    parts = [
        f'<circle class="peak" cx="{at:.1f}" cy="{high:.1f}" r="4" fill="#c8371b"/>',
        _label(frame, at, high - 9, said, 'class="peaktext" fill="#c8371b" font-weight="600"', 7.1),
    ]
    for run, timeline in runs.items():
        highest = max(timeline["total"])
        place = frame.across(timeline)[timeline["total"].index(highest)]
        text = f"{RUN_LABELS.get(run, run)} {format_bytes(highest)}"
        parts.append(_label(frame, place or frame.left, frame.y(highest) - 6, text, 'class="onplot"', 6.4))
    return parts


def _label(frame: _Frame, at: float, high: float, text: str, look: str, letter: float) -> str:
    """Write a label beside a point, within the plot and clear of the labels already there."""
    wide = len(text) * letter
    left = at + 9 if at + 9 + wide <= frame.right else at - 9 - wide
    left = min(max(frame.left + 4, left), max(frame.left + 4, frame.right - wide))
    y = max(frame.top + 12, high)
    for step in range(12):
        y = max(frame.top + 12, high + (-1) ** step * ((step + 1) // 2) * 15)
        if not any(abs(other - y) < 15 and left < right and start < left + wide for start, right, other in frame.taken):
            break
    frame.taken.append((left, left + wide, y))
    return f'<text {look} x="{left:.1f}" y="{y:.1f}">{escape(text)}</text>'


def _legend(frame: _Frame, kinds: Sequence[str], baseline: float, prefix: str) -> list[str]:
    parts, x = [], frame.left
    for kind in kinds:
        box = f'x="{x:.1f}" y="{baseline - 9}" width="10" height="10" rx="2"'
        parts.append(f'<rect class="m-{kind}" fill="{FILLS[kind]}" {box}/>')
        if kind in PATTERNS:
            parts.append(f'<rect fill="url(#{prefix}-{kind})" {box}/>')
        parts.append(f'<text x="{x + 15:.1f}" y="{baseline}">{LABELS[kind]}</text>')
        x += 15 + len(LABELS[kind]) * 6.4 + 16
    return parts
