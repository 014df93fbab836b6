"""Paint the same picture as a PNG, for a page or a chat that takes no SVG. Needs Pillow, which nothing else here does.

Areas and lines are painted at twice the size and made smaller, which smooths their edges; text is set at its own size.
"""

from __future__ import annotations

from collections.abc import Mapping
from io import BytesIO
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from grader.timeline.geometry import FILLS, GRID, HATCHES, INK, OTHER, PEAK, REFERENCE, Corner, Layout, lay_out
from grader.timeline.series import LABELS

if TYPE_CHECKING:
    from PIL.Image import Image

DASH, GAP = 4.0, 3.0
BAND = "#f3f5f6"  # GRID at 28 % on white
SMOOTH = 2
HATCH_OPACITY = 0.6


class CannotPaint(Exception):
    """Says what is missing, and how to get it."""


def png(
    timelines: Mapping[str, Mapping[str, Any] | None],
    width: int = 900,
    height: int = 320,
    *,
    peak: Mapping[str, Any] | None = None,
    legend: bool = True,
    scale: int = 2,
) -> bytes:
    """Return the picture that `svg` draws, as a PNG of `scale` pixels to each of its own; b"" if there is no run.

    Raises CannotPaint where Pillow is not installed.
    """
    try:
        from PIL import Image
    except ImportError:
        raise CannotPaint(
            "A PNG needs Pillow, which is not installed here: `pip install pillow`. SVG and JSON need nothing more."
        ) from None
    layout = lay_out(timelines, width, height, peak, legend)
    if layout is None:
        return b""
    fine = scale * SMOOTH
    image = Image.new("RGB", (width * fine, height * fine), "#fff")
    _shapes(image, layout, fine, legend)
    image = image.resize((width * scale, height * scale), Image.Resampling.LANCZOS)
    _texts(image, layout, scale, legend)
    out = BytesIO()
    image.save(out, "PNG", optimize=True)
    return out.getvalue()


def _shapes(image: Image, layout: Layout, fine: int, legend: bool) -> None:
    from PIL import ImageDraw

    draw, frame = ImageDraw.Draw(image), layout.frame
    for i, (_, left, right) in enumerate(frame.bands()):
        if i % 2 == 0:
            draw.rectangle(_scaled([(left, frame.top), (right, frame.bottom)], fine), fill=BAND)
    for y, _ in frame.scale()[1]:
        draw.line(_scaled([(frame.left, y), (frame.right, y)], fine), fill=GRID, width=fine)
    for kind, upper, lower in layout.layers():
        _area(image, kind, _scaled([*upper, *lower[::-1]], fine), fine)
    for run, corners in layout.lines():
        colour = REFERENCE if run == "reference" else OTHER
        for stretch in [corners] if run == "reference" else _dashes(corners):
            draw.line(_scaled(stretch, fine), colour, round(1.4 * fine), "curve")
    (at, high), radius = layout.peak(), 4
    draw.ellipse(_scaled([(at - radius, high - radius), (at + radius, high + radius)], fine), fill=PEAK)
    for kind, x in layout.legend() if legend else ():
        y = layout.legend_baseline - 9
        _area(image, kind, _scaled([(x, y), (x + 10, y), (x + 10, y + 10), (x, y + 10)], fine), fine)


def _area(image: Image, kind: str, corners: list[Corner], fine: int) -> None:
    """Fill an area in its kind's colour, with the kind's hatching on top."""
    from PIL import Image as images
    from PIL import ImageDraw

    ImageDraw.Draw(image).polygon(corners, fill=FILLS[kind])
    if kind not in HATCHES:
        return
    area = images.new("L", image.size)
    ImageDraw.Draw(area).polygon(corners, fill=255)
    tile = images.new("L", (6 * fine, 6 * fine))
    for stroke in HATCHES[kind]:
        ImageDraw.Draw(tile).line(_scaled(list(stroke), fine), fill=round(255 * HATCH_OPACITY), width=round(1.2 * fine))
    box = area.getbbox() or (0, 0, 0, 0)
    hatching = images.new("L", image.size)
    for x in range(box[0] // tile.width * tile.width, box[2], tile.width):
        for y in range(box[1] // tile.height * tile.height, box[3], tile.height):
            hatching.paste(tile, (x, y))
    white = images.new("RGB", image.size, "#fff")
    image.paste(white, mask=images.composite(hatching, images.new("L", image.size), area))


def _texts(image: Image, layout: Layout, scale: int, legend: bool) -> None:
    from PIL import ImageDraw, ImageFont

    draw, frame = ImageDraw.Draw(image), layout.frame
    font = ImageFont.load_default(11.5 * scale)

    def write(x: float, y: float, text: str, anchor: str = "ls", fill: str = INK, halo: int = 0) -> None:
        place = (x * scale, y * scale)
        draw.text(place, text, fill, font, anchor, stroke_width=halo * scale, stroke_fill="#fff")

    for name, left, right in frame.bands():
        if right - left > 7 * len(name):
            write((left + right) / 2, layout.phases_baseline, name, "ms")
    unit, marks = frame.scale()
    for y, text in marks:
        write(frame.left - 8, y + 4, text, "rs")
    write(frame.left, 15, f"{unit} live")
    (at, high), wide = layout.peak(), draw.textlength(layout.said, font) / scale
    write(*frame.place_label(at, high - 9, wide), layout.said, fill=PEAK, halo=2)
    for text, (at, high) in layout.labels():
        write(*frame.place_label(at, high - 6, draw.textlength(text, font) / scale), text, halo=2)
    for kind, x in layout.legend() if legend else ():
        write(x + 15, layout.legend_baseline, LABELS[kind])


def _dashes(corners: list[Corner]) -> list[list[Corner]]:
    """Cut a line into dashes, along its length."""
    found: list[list[Corner]] = []
    left, drawing = DASH, True
    for (x1, y1), (x2, y2) in pairwise(corners):
        length, done = abs(x2 - x1) + abs(y2 - y1), 0.0  # steps are level or upright
        while done < length:
            going = min(left, length - done)
            ends = (done / length, (done + going) / length)
            if drawing:
                found.append([(x1 + (x2 - x1) * end, y1 + (y2 - y1) * end) for end in ends])
            done, left = done + going, left - going
            if left <= 0:
                drawing = not drawing
                left = DASH if drawing else GAP
    return found


def _scaled(corners: list[Corner], fine: int) -> list[Corner]:
    return [(x * fine, y * fine) for x, y in corners]
