"""Merge two texts that grew from one: what only one side changed is taken, what both changed is left to the person."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from labs.comparing import lines_of, matching

YOURS, BETWEEN, THEIRS = "<<<<<<< this editor", "=======", ">>>>>>> the other"


@dataclass(frozen=True)
class Merged:
    """The text, and in how many places both versions stand in it between markers, for the person to choose."""

    text: str
    conflicts: int


def sentence(merged: Merged) -> str:
    """Say what is left to do."""
    if not merged.conflicts:
        return "Merged: both sets of changes are in the editor."
    places = "one place" if merged.conflicts == 1 else f"{merged.conflicts} places"
    return f"Merged. In {places} both versions stand between {YOURS[:7]} and {THEIRS[:7]}: keep one of each."


def merge(yours: str, theirs: str, base: str | None = None) -> Merged:
    """Merge line by line. Without `base`, the text that both began with, what they have in common stands for it.

    Then a line that only one side has is kept: nobody knows whether the other took it out.
    """
    mine, other = lines_of(yours), lines_of(theirs)
    if base is None:
        origin = [line for first, _, size in matching(mine, other) for line in mine[first : first + size]]
    else:
        origin = lines_of(base)
    lines: list[str] = []
    conflicts = 0
    for was, one, two in _regions(origin, mine, other):
        if two == was or one == two:
            lines += one
        elif one == was:
            lines += two
        else:
            lines += [YOURS, *one, BETWEEN, *two, THEIRS]
            conflicts += 1
    return Merged("".join(f"{line}\n" for line in lines), conflicts)


Region = tuple[Sequence[str], Sequence[str], Sequence[str]]


def _regions(origin: Sequence[str], mine: Sequence[str], other: Sequence[str]) -> Iterator[Region]:
    """Cut all three at the lines that they share; yield the stretches in order, the shared ones too."""
    to_mine, to_other = _places(origin, mine), _places(origin, other)
    o = m = t = 0
    for line in range(len(origin)):
        if line in to_mine and line in to_other:
            yield origin[o:line], mine[m : to_mine[line]], other[t : to_other[line]]
            o, m, t = line + 1, to_mine[line] + 1, to_other[line] + 1
            yield origin[line:o], mine[m - 1 : m], other[t - 1 : t]
    yield origin[o:], mine[m:], other[t:]


def _places(before: Sequence[str], after: Sequence[str]) -> dict[int, int]:
    return {first + n: second + n for first, second, size in matching(before, after) for n in range(size)}
