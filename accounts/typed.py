"""Numbers that a form or an address carries: any text may stand where a page of ours put a number."""

from __future__ import annotations

MOST_DIGITS = 9
"""A whole number of more digits is none: whatever is counted here stays far below."""


def whole_number(text: str, otherwise: int = 0) -> int:
    """Return the whole number that plain digits write, or `otherwise` for any other text."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= MOST_DIGITS else otherwise


def whole_numbers(texts: list[str]) -> list[int]:
    """Return the whole numbers among texts, in order, without what is none."""
    return [number for number in (whole_number(text, -1) for text in texts) if number >= 0]
