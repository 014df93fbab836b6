"""The picture that stands beside a shared link: kind and title of a page over a measured run. Pure functions.

Drawn with Pillow in the site's own font, at the size that social sites show whole (1200 by 630).
"""

from __future__ import annotations

import json
from functools import cache, lru_cache
from io import BytesIO
from itertools import pairwise
from typing import TYPE_CHECKING

from django.conf import settings

from grader.timeline.geometry import FILLS, OTHER

if TYPE_CHECKING:
    from PIL.ImageDraw import ImageDraw
    from PIL.ImageFont import FreeTypeFont

SIZE = WIDTH, HEIGHT = 1200, 630
VERSION = 1  # goes into every card's address: count it up when the drawing changes
LEFT, RIGHT, FLOOR, CEILING = 72, WIDTH - 72, HEIGHT - 64, 400
PAPER, SHEET, RULE, INK, GREY, ACCENT = "#fcfdfd", "#f3f6f7", "#d5dde0", "#14212b", "#475863", "#0b5c8a"
FONT = "fonts/ibm-plex-sans.woff2"
RUN = settings.BASE_DIR / "courses" / "content" / "measured" / "checkpoint-segments.json"
ROOM = ((76, 2), (66, 3), (58, 3), (50, 4), (42, 5))  # sizes of a title, and how many lines of each there is room for

Corner = tuple[float, float]


@lru_cache(maxsize=256)
def png(kind: str, title: str) -> bytes:
    """Return the card of a page as PNG. `kind` is what it is, in a few words."""
    from PIL import Image
    from PIL import ImageDraw as drawing

    fine = 2  # drawn at twice the size: areas and lines are smooth then
    image = Image.new("RGB", (WIDTH * fine, HEIGHT * fine), PAPER)
    _run(drawing.Draw(image), fine)
    image = image.resize(SIZE, Image.Resampling.LANCZOS)
    draw = drawing.Draw(image)
    draw.text((LEFT, 84), "Headroom", INK, font(34, 600), "ls")
    draw.text((RIGHT, 84), kind, GREY, font(30, 400), "rs")
    size, lines = fitted(title)
    for number, line in enumerate(lines):
        draw.text((LEFT, 122 + size + round(1.18 * size * number)), line, INK, font(size, 600), "ls")
    draw.text((LEFT, HEIGHT - 24), "Every figure is computed or measured.", GREY, font(24, 400), "ls")
    out = BytesIO()
    image.quantize(128).save(out, "PNG", optimize=True)
    return out.getvalue()


@cache
def font(size: int, weight: int) -> FreeTypeFont:
    """Return the site's sans at a size in pixels and a weight from 100 to 700."""
    from PIL import ImageFont

    made = ImageFont.truetype(settings.STATICFILES_DIRS[0] / FONT, size)
    made.set_variation_by_axes([weight])
    return made


def fitted(title: str) -> tuple[int, list[str]]:
    """Return the largest size in pixels at which the title has room, and its lines; at the least it is cut short."""
    for size, most in ROOM:
        lines = wrapped(title, size)
        if len(lines) <= most:
            return size, lines
    return size, [*lines[: most - 1], lines[most - 1].rstrip(",;:. ") + "…"]


def wrapped(title: str, size: int) -> list[str]:
    """Break a title into lines as wide as the card. A word that is wider than that stays whole."""
    lines: list[str] = []
    for word in title.split():
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and font(size, 600).getlength(longer) <= RIGHT - LEFT:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines


def _run(draw: ImageDraw, fine: int) -> None:
    """Draw the run of the home page from edge to edge: bytes by kind, the plain run as a dashed line over them."""
    timelines = list(json.loads(RUN.read_text(encoding="utf-8"))["timelines"].values())
    most = max(max(line["total"]) for line in timelines)

    def at(place: float, amount: float) -> Corner:
        return place * WIDTH * fine, (FLOOR - (FLOOR - CEILING) * amount / most) * fine

    def corners(amounts: list[float]) -> list[Corner]:
        return [at(number / (len(amounts) - 1), amount) for number, amount in enumerate(amounts)]

    draw.rectangle([at(0, most), at(1, 0)], SHEET)
    below = [0.0] * len(timelines[0]["total"])
    for kind, amounts in timelines[0]["live"].items():
        above = [low + amount for low, amount in zip(below, amounts, strict=True)]
        draw.polygon([*corners(above), *corners(below)[::-1]], FILLS[kind])
        below = above
    for number, (start, end) in enumerate(pairwise(corners(timelines[1]["total"]))):
        if number % 4 < 3:
            draw.line([start, end], OTHER, 3 * fine)
    draw.line([at(0, 0), at(1, 0)], RULE, 2 * fine)
