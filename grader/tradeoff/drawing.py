"""Draw memory against work as SVG: peak bytes to the right, repeated work upwards, the frontier as a stair.

Colours come from CSS classes (`frontier`, `method`, `mine`, `grid`), with presentation attributes as the fallback where
no style sheet is, and every point carries its figures as a title.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from html import escape
from itertools import pairwise

from grader.timeline.geometry import GRID, INK, OTHER, REFERENCE, ticks, unit_of
from grader.timeline.series import format_bytes
from grader.tradeoff.points import OWN, Point, Tradeoff

ACCENT = "#0b5c8a"
SHORT = {OWN: "this run", "plain": "plain", "full": "full", "root": "square root", "selective": "selective"}
LETTER, LINE = 6.7, 15  # width of a letter and height of a line of 12 px text, about
STYLE = (
    f"text{{font:12px system-ui,sans-serif;fill:{INK}}}.onplot{{paint-order:stroke;stroke:#fff;stroke-width:3px}}"
    f".own{{fill:{ACCENT};font-weight:600}}.best{{fill:{REFERENCE}}}"
)

Corner = tuple[float, float]


@dataclass
class _Frame:
    """The plot area, where a point stands in it, and the boxes that are taken."""

    left: float
    right: float
    top: float
    bottom: float
    most_bytes: float
    most_again: float
    taken: list[tuple[float, float, float, float]] = field(default_factory=list)

    def at(self, peak_bytes: float, again: float) -> Corner:
        x = self.left + peak_bytes / self.most_bytes * (self.right - self.left)
        return x, self.bottom - max(0.0, again) / self.most_again * (self.bottom - self.top)

    def take(self, at: Corner, size: float) -> None:
        self.taken.append((at[0] - size, at[1] - size, at[0] + size, at[1] + size))

    def place(self, at: Corner, text: str) -> tuple[float, float]:
        """Return left edge and baseline of a label beside a point: the first place that is inside and free."""
        wide, (x, y) = len(text) * LETTER, at
        beside = [(x + 12, y + 4), (x - 12 - wide, y + 4)]
        above = [(x - wide / 2, y - 11), (x - wide / 2, y + 20), (x + 8, y - 9), (x + 8, y + 18), (x - 8 - wide, y - 9)]
        further = [(x + side, y + LINE * n) for n in (-1, -2, -3, 1, 2, 3) for side in (-wide / 2, 8, -8 - wide)]
        boxes = [(left, base, (left, base - 11, left + wide, base + 3)) for left, base in beside + above + further]
        inside = [one for one in boxes if self._inside(one[2])] or boxes[:1]
        left, base, box = next((one for one in inside if not self._clashes(one[2])), inside[0])
        self.taken.append(box)
        return left, base

    def _inside(self, box: tuple[float, float, float, float]) -> bool:
        return box[0] >= self.left + 2 and box[2] <= self.right and box[1] >= self.top - 14 and box[3] <= self.bottom

    def _clashes(self, box: tuple[float, float, float, float]) -> bool:
        return any(box[0] < r and l < box[2] and box[1] < b and t < box[3] for l, t, r, b in self.taken)  # noqa: E741


def svg(
    tradeoff: Tradeoff,
    own: Point | None = None,
    width: int = 720,
    height: int = 340,
    *,
    prefix: str = "tradeoff",
    standalone: bool = False,
) -> str:
    """Return the picture, `own` being the learner's run. `standalone` embeds a font and a background, for a file."""
    shown = [*tradeoff.methods, *tradeoff.frontier, *([own] if own else [])]
    most_again = max(0.1, 1.12 * max(tradeoff.again(point) for point in shown))
    frame = _Frame(46, width - 14, 26, height - 42, 1.08 * max(p.peak_bytes for p in shown), most_again)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="plot" viewBox="0 0 {width} {height}" width="{width}"'
        f' height="{height}" role="img" aria-labelledby="{prefix}-title" font-family="system-ui, sans-serif"'
        f' font-size="12"><title id="{prefix}-title">{escape(_summary(tradeoff, own))}</title>'
    ]
    if standalone:
        parts.append(f'<style>{STYLE}</style><rect width="{width}" height="{height}" fill="#fff"/>')
    parts += _axes(frame, width, height)
    parts += _stair(frame, tradeoff)
    parts += _points(frame, tradeoff, own)
    return "".join([*parts, "</svg>"])


def _summary(tradeoff: Tradeoff, own: Point | None) -> str:
    points = [own, *tradeoff.methods] if own else tradeoff.methods
    said = [f"{SHORT[point.name]} {_figures(tradeoff, point)}" for point in points]
    return f"Peak bytes of the update against repeated work: {'; '.join(said)}"


def _figures(tradeoff: Tradeoff, point: Point) -> str:
    return f"{format_bytes(point.peak_bytes)}, {100 * tradeoff.again(point):.3g} % of the work again"


def _axes(frame: _Frame, width: int, height: int) -> Iterator[str]:
    unit, size = unit_of(frame.most_bytes)
    for value in ticks(frame.most_bytes / size, 4 if width < 500 else 7):
        x, _ = frame.at(value * size, 0)
        yield (
            f'<line class="grid" x1="{x:.1f}" x2="{x:.1f}" y1="{frame.top}" y2="{frame.bottom}" stroke="{GRID}"/>'
            f'<text x="{x:.1f}" y="{frame.bottom + 17}" text-anchor="middle">{value:,.10g}</text>'
        )
    for value in ticks(100 * frame.most_again, 5):
        _, y = frame.at(0, value / 100)
        yield (
            f'<line class="grid" x1="{frame.left}" x2="{frame.right}" y1="{y:.1f}" y2="{y:.1f}" stroke="{GRID}"/>'
            f'<text x="{frame.left - 8}" y="{y + 4:.1f}" text-anchor="end">{value:,.10g}</text>'
        )
    yield '<text x="4" y="15">Work done again, % of the plain update</text>'
    yield f'<text x="{frame.right}" y="{height - 7}" text-anchor="end">Peak of the update, {unit}</text>'


def _stair(frame: _Frame, tradeoff: Tradeoff) -> Iterator[str]:
    """Draw the frontier: until more bytes allow less work, the work stays."""
    corners: list[Corner] = []
    for point in tradeoff.frontier:
        x, y = frame.at(point.peak_bytes, tradeoff.again(point))
        corners += [(x, corners[-1][1]), (x, y)] if corners else [(x, y)]
    for (x1, y1), (x2, y2) in pairwise(corners):
        frame.taken.append((x1 - 1, min(y1, y2) - 1, x2 + 1, max(y1, y2) + 1))
    path = "L".join(f"{x:.1f},{y:.1f}" for x, y in corners)
    yield f'<path class="line frontier" fill="none" stroke="{REFERENCE}" stroke-width="1.6" d="M{path}"/>'
    for point in tradeoff.frontier:
        x, y = frame.at(point.peak_bytes, tradeoff.again(point))
        title = escape(f"{point.words}: {_figures(tradeoff, point)}")
        place = f'cx="{x:.1f}" cy="{y:.1f}" r="2.6"'
        yield f'<circle class="frontier" {place} fill="{REFERENCE}"><title>{title}</title></circle>'


def _points(frame: _Frame, tradeoff: Tradeoff, own: Point | None) -> Iterator[str]:
    """Draw one's own run, on it the methods, then the words: these keep clear of all points and of the stair."""
    named = [(point, frame.at(point.peak_bytes, tradeoff.again(point))) for point in tradeoff.methods]
    if own:
        named.insert(0, (own, frame.at(own.peak_bytes, tradeoff.again(own))))
    for point in tradeoff.frontier:
        frame.take(frame.at(point.peak_bytes, tradeoff.again(point)), 2)
    for _, at in named:
        frame.take(at, 7)
    for point, (x, y) in named:
        look = f'class="mine" fill="{ACCENT}"' if point is own else f'class="method" fill="#fff" stroke="{OTHER}"'
        title = f"<title>{escape(f'{point.words}: {_figures(tradeoff, point)}')}</title>"
        yield f'<path {look} stroke-width="1.8" d="{_mark(point.name, x, y)}">{title}</path>'
    for point, at in named:
        left, base = frame.place(at, SHORT[point.name])
        look = f'class="onplot own" fill="{ACCENT}" font-weight="600"' if point is own else 'class="onplot"'
        yield f'<text {look} x="{left:.1f}" y="{base:.1f}">{SHORT[point.name]}</text>'
    middle = tradeoff.frontier[len(tradeoff.frontier) // 2]
    left, base = frame.place(frame.at(middle.peak_bytes, tradeoff.again(middle)), "best found")
    yield f'<text class="onplot best" fill="{REFERENCE}" x="{left:.1f}" y="{base:.1f}">best found</text>'


def _mark(name: str, x: float, y: float) -> str:
    """Return the outline of a point: each method has a shape of its own, beside its word."""
    match name:
        case "full":
            return f"M{x - 5:.1f},{y - 5:.1f}h10v10h-10Z"
        case "root":
            return f"M{x:.1f},{y - 6:.1f}l6,11h-12Z"
        case "selective":
            return f"M{x:.1f},{y - 6.5:.1f}l6.5,6.5l-6.5,6.5l-6.5,-6.5Z"
        case _:
            r = 8.5 if name == OWN else 5
            return f"M{x - r:.1f},{y:.1f}a{r},{r} 0 1 0 {2 * r},0a{r},{r} 0 1 0 {-2 * r},0Z"
