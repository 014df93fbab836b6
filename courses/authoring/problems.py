"""What is wrong with a page, where, and what to do about it."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, order=True)
class Problem:
    """One fault in a content file. `line` counts from 1."""

    path: Path
    line: int
    message: str
    cure: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.message}\n    cure: {self.cure}"


class AuthorError(Exception):
    """A fault found where the file and the line are not known: the caller adds them."""

    def __init__(self, message: str, cure: str) -> None:
        super().__init__(message)
        self.message = message
        self.cure = cure


class ContentErrors(Exception):
    """The content cannot be loaded; holds every problem found."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = sorted(problems)
        super().__init__("\n".join(map(str, self.problems)))


def one_of(names: Iterable[str], wrong: str) -> str:
    """Name what would have been right: the nearest of `names` if one is near, else the first few."""
    known = sorted(names)
    near = difflib.get_close_matches(wrong, known, n=1)
    if near:
        return f"did you mean “{near[0]}”?"
    if not known:
        return "none is defined yet"
    shown = ", ".join(known[:12])
    return f"use one of: {shown}{', …' if len(known) > 12 else ''}"
