"""A picture of rows beside each other: one bar a ratio, on a scale of doublings with 1 in the middle."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from math import log2
from typing import Any

LINE, LABELS, WIDE = 22, 330, 760
"""Pixels: the height of a line, where bars begin, the picture's width."""

GOOD, BAD, PLAIN = "#2f7d4f", "#b3423a", "#5b7fa6"


def svg(title: str, rows: Sequence[dict[str, Any]]) -> str:
    """Return bars of the rows that have a ratio; "" where there are none. Red missed its aim, green met one."""
    shown = [row for row in rows if row["ratio"]]
    if not shown:
        return ""
    reach = max(1.0, *(abs(log2(row["ratio"])) for row in shown))
    middle = LABELS + (WIDE - LABELS) / 2
    scale = (WIDE - LABELS - 130) / 2 / reach
    height = LINE * (len(shown) + 2)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDE}" height="{height}" viewBox="0 0 {WIDE} {height}" '
        f'role="img" aria-label="{escape(title)}" font-family="sans-serif" font-size="12" fill="#808080">',
        f'<line x1="{middle:.1f}" y1="{LINE}" x2="{middle:.1f}" y2="{height - LINE / 2:.1f}" stroke="#808080"/>',
        f'<text x="{middle:.1f}" y="{LINE - 6}" text-anchor="middle">as much</text>',
    ]
    for number, row in enumerate(shown, 1):
        top, length = number * LINE + 4, log2(row["ratio"]) * scale
        colour = {True: GOOD, False: BAD, None: PLAIN}[row["met"]]
        right = length >= 0
        parts += [
            f'<text x="0" y="{top + 11}">{escape(row["name"])}</text>',
            f'<rect x="{min(middle, middle + length):.1f}" y="{top}" width="{max(1.0, abs(length)):.1f}" height="14" '
            f'fill="{colour}"/>',
            f'<text x="{middle + length + (5 if right else -5):.1f}" y="{top + 11}" '
            f'text-anchor="{"start" if right else "end"}">{row["ratio"]:.3g} ×</text>',
        ]
    return "\n".join([*parts, "</svg>"]) + "\n"
