"""What two versions of a module have in common, line by line and word by word. Pure; its time is bounded."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import zip_longest

MOST_LINES = 5_000
"""Lines that are compared, each side, beyond what both begin and end with; more count as wholly different."""

MOST_LETTERS, MOST_PAIRS = 400, 400
"""Words are compared within lines of at most so many characters, for at most so many pairs of lines."""

MOST_ROWS = 4_000
"""Rows of a comparison that are shown."""

ALIKE = 0.4
"""Two lines that share less than this (0 to 1) are shown as one line less and one more, not as one that changed."""

_WORDS = re.compile(r"\w+|\s+|[^\w\s]")


@dataclass(frozen=True)
class Row:
    """One line of a comparison. `sign` is "=", "-", "+", or "…" for `hidden` equal lines that are left out.

    `before` and `after` are line numbers from 1; `parts` are (text, whether it changed within the line).
    """

    sign: str
    before: int | None = None
    after: int | None = None
    parts: tuple[tuple[str, bool], ...] = ()
    hidden: int = 0


@dataclass(frozen=True)
class Comparison:
    """The rows to show, how many lines came and went in all, and how many rows beyond `MOST_ROWS` are not shown."""

    rows: list[Row]
    added: int
    removed: int
    cut: int = 0


def lines_of(text: str) -> list[str]:
    """Split a text as Python and the editor count lines; the end of the last line begins no other."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return lines if lines[-1] else lines[:-1]


def matching(before: Sequence[str], after: Sequence[str]) -> list[tuple[int, int, int]]:
    """Return the runs of equal lines, in order: (first in `before`, first in `after`, how many).

    The last run is empty and stands at both ends, as difflib has it.
    """
    shortest, head = min(len(before), len(after)), 0
    while head < shortest and before[head] == after[head]:
        head += 1
    tail = 0
    while tail < shortest - head and before[-1 - tail] == after[-1 - tail]:
        tail += 1
    runs = [(0, 0, head)] if head else []
    middle = before[head : len(before) - tail], after[head : len(after) - tail]
    if max(map(len, middle)) <= MOST_LINES:
        found = SequenceMatcher(None, *middle).get_matching_blocks()[:-1]
        runs += [(head + run.a, head + run.b, run.size) for run in found]
    if tail:
        runs.append((len(before) - tail, len(after) - tail, tail))
    return [*runs, (len(before), len(after), 0)]


def compare(before: str, after: str, context: int | None = 3) -> Comparison:
    """Return what became of `before`, with `context` equal lines around each change (None: all of them)."""
    old, new = lines_of(before), lines_of(after)
    rows: list[Row] = []
    pairs = i = j = 0
    for first, second, size in matching(old, new):
        changed = _changed(old[i:first], new[j:second], i, j, MOST_PAIRS - pairs)
        pairs += min(first - i, second - j)
        rows += changed
        rows += [Row("=", first + n + 1, second + n + 1, ((old[first + n], False),)) for n in range(size)]
        i, j = first + size, second + size
    added, removed = (sum(row.sign == sign for row in rows) for sign in "+-")
    shown = rows if context is None else list(_near(rows, context))
    return Comparison(shown[:MOST_ROWS], added, removed, max(0, len(shown) - MOST_ROWS))


def _changed(old: Sequence[str], new: Sequence[str], i: int, j: int, pairs: int) -> list[Row]:
    """Return a run of lines that went and those that came in their place; the words that differ are marked."""
    gone, come = [], []
    for number, (left, right) in enumerate(zip_longest(old, new)):
        parts = _words(left, right) if left is not None and right is not None and number < pairs else None
        if left is not None:
            gone.append(Row("-", i + number + 1, None, parts[0] if parts else ((left, False),)))
        if right is not None:
            come.append(Row("+", None, j + number + 1, parts[1] if parts else ((right, False),)))
    return gone + come


Parts = tuple[tuple[str, bool], ...]


def _words(left: str, right: str) -> tuple[Parts, Parts] | None:
    """Split two lines where they differ; None where they have little in common."""
    if max(len(left), len(right)) > MOST_LETTERS:
        return None
    one, two = _WORDS.findall(left), _WORDS.findall(right)
    matcher = SequenceMatcher(None, one, two, autojunk=False)
    if matcher.ratio() < ALIKE:
        return None
    first: list[tuple[str, bool]] = []
    second: list[tuple[str, bool]] = []
    for operation, a, b, c, d in matcher.get_opcodes():
        first.append(("".join(one[a:b]), operation != "equal"))
        second.append(("".join(two[c:d]), operation != "equal"))
    return tuple(part for part in first if part[0]), tuple(part for part in second if part[0])


def _near(rows: Sequence[Row], context: int) -> Iterator[Row]:
    """Yield the rows that changed with those near them, and a row that counts each stretch left out."""
    changes = [number for number, row in enumerate(rows) if row.sign != "="]
    shown = {near for number in changes for near in range(number - context, number + context + 1)}
    hidden = 0
    for number, row in enumerate(rows):
        if number not in shown:
            hidden += 1
            continue
        if hidden:
            yield Row("…", hidden=hidden)
            hidden = 0
        yield row
    if hidden:
        yield Row("…", hidden=hidden)
