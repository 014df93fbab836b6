"""Draw a memory timeline as SVG: bytes stacked by kind, other runs as lines, phases and peak named.

Colours come from CSS classes (`m-<kind>`, `line-<run>`, `band`, `grid`, `peak`), with presentation attributes as the
fallback where no style sheet is; there is no style attribute, so a strict content policy lets it through.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import Any

from grader.timeline.geometry import (
    FILLS,
    GRID,
    HATCHES,
    INK,
    OTHER,
    PEAK,
    REFERENCE,
    RUN_LABELS,
    Corner,
    Layout,
    lay_out,
)
from grader.timeline.series import LABELS, format_bytes

STYLE = (
    f"text{{font:12px system-ui,sans-serif;fill:{INK};font-variant-numeric:tabular-nums}}"
    f".peaktext{{fill:{PEAK};font-weight:600}}.onplot,.peaktext{{paint-order:stroke;stroke:#fff;stroke-width:3px}}"
)


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
    layout = lay_out(timelines, width, height, peak, legend)
    if layout is None:
        return ""
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="plot" viewBox="0 0 {width} {height}" role="img"'
        f' aria-labelledby="{prefix}-title" font-family="system-ui, sans-serif" font-size="12">',
        f'<title id="{prefix}-title">{escape(_summary(layout))}</title>',
    ]
    if standalone:
        parts.append(f'<style>{STYLE}</style><rect width="{width}" height="{height}" fill="#fff"/>')
    parts.append(_defs(layout.kinds, prefix))
    parts += _axes(layout)
    parts += _stack(layout, prefix)
    parts += [_line(run, corners) for run, corners in layout.lines() if corners]
    parts += _labels(layout)
    if legend:
        parts += _legend(layout, prefix)
    parts.append("</svg>")
    return "".join(parts)


def _summary(layout: Layout) -> str:
    name = RUN_LABELS.get(layout.name, layout.name)
    runs = layout.runs.items()
    others = "".join(f"; {RUN_LABELS.get(run, run)} {format_bytes(max(t['total']))}" for run, t in runs)
    return f"Live bytes over one update, {name}: {layout.said}{others}"


def _defs(kinds: Sequence[str], prefix: str) -> str:
    patterns = (
        f'<pattern id="{prefix}-{kind}" width="6" height="6" patternUnits="userSpaceOnUse">'
        f'<g class="hatch" stroke="#fff" stroke-opacity=".6" stroke-width="1.2" fill="none">{_hatch(kind)}</g>'
        "</pattern>"
        for kind in kinds
        if kind in HATCHES
    )
    return f"<defs>{''.join(patterns)}</defs>"


def _hatch(kind: str) -> str:
    strokes = "".join(f"M{x1:g} {y1:g}L{x2:g} {y2:g}" for (x1, y1), (x2, y2) in HATCHES[kind])
    return f'<path d="{strokes}"/>'


def _axes(layout: Layout) -> Iterator[str]:
    frame = layout.frame
    for i, (name, left, right) in enumerate(frame.bands()):
        if i % 2 == 0:
            yield (
                f'<rect class="band" x="{left:.1f}" y="{frame.top}" width="{right - left:.1f}"'
                f' height="{frame.bottom - frame.top:.1f}" fill="{GRID}" fill-opacity=".28"/>'
            )
        if right - left > 7 * len(name):
            middle = (left + right) / 2
            yield f'<text x="{middle:.1f}" y="{layout.phases_baseline}" text-anchor="middle">{escape(name)}</text>'
    unit, marks = frame.scale()
    for y, text in marks:
        yield (
            f'<line class="grid" x1="{frame.left}" x2="{frame.right}" y1="{y:.1f}" y2="{y:.1f}" stroke="{GRID}"/>'
            f'<text x="{frame.left - 8}" y="{y + 4:.1f}" text-anchor="end">{text}</text>'
        )
    yield f'<text x="{frame.left}" y="15">{unit} live</text>'


def _stack(layout: Layout, prefix: str) -> Iterator[str]:
    for kind, upper, lower in layout.layers():
        shape = f'd="M{_path(upper)}L{_path(lower[::-1])}Z"'
        yield f'<path class="m-{kind}" fill="{FILLS[kind]}" {shape}/>'
        if kind in HATCHES:
            yield f'<path fill="url(#{prefix}-{kind})" {shape}/>'


def _line(run: str, corners: Sequence[Corner]) -> str:
    look = f'stroke="{REFERENCE}"' if run == "reference" else f'stroke="{OTHER}" stroke-dasharray="4 3"'
    return f'<path class="line line-{escape(run)}" fill="none" {look} stroke-width="1.4" d="M{_path(corners)}"/>'


def _path(corners: Sequence[Corner]) -> str:
    return "L".join(f"{x:.1f},{y:.1f}" for x, y in corners)


def _labels(layout: Layout) -> Iterator[str]:
    at, high = layout.peak()
    yield f'<circle class="peak" cx="{at:.1f}" cy="{high:.1f}" r="4" fill="{PEAK}"/>'
    look = f'class="peaktext" fill="{PEAK}" font-weight="600"'
    yield _label(layout, at, high - 9, layout.said, look, 7.1)
    for text, (at, high) in layout.labels():
        yield _label(layout, at, high - 6, text, 'class="onplot"', 6.4)


def _label(layout: Layout, at: float, high: float, text: str, look: str, letter: float) -> str:
    left, y = layout.frame.place_label(at, high, len(text) * letter)
    return f'<text {look} x="{left:.1f}" y="{y:.1f}">{escape(text)}</text>'


def _legend(layout: Layout, prefix: str) -> Iterator[str]:
    baseline = layout.legend_baseline
    for kind, x in layout.legend():
        box = f'x="{x:.1f}" y="{baseline - 9}" width="10" height="10" rx="2"'
        yield f'<rect class="m-{kind}" fill="{FILLS[kind]}" {box}/>'
        if kind in HATCHES:
            yield f'<rect fill="url(#{prefix}-{kind})" {box}/>'
        yield f'<text x="{x + 15:.1f}" y="{baseline}">{LABELS[kind]}</text>'
