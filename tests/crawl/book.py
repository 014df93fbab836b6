"""What was planted, and who must and who may read it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from accounts.models import User

VISITOR, FREE, LAPSED, PREMIUM, STAFF = "visitor", "free", "lapsed", "premium", "staff"
PEOPLE = (VISITOR, FREE, LAPSED, PREMIUM, STAFF)

# Said here a second time on purpose: the crawler must not ask the function that it checks.
MAY_OPEN = {"open": {*PEOPLE}, "free": {FREE, LAPSED, PREMIUM, STAFF}, "premium": {PREMIUM, STAFF}}


@dataclass(frozen=True)
class Planted:
    """One sentence: its mark is what the crawler looks for, its bait what it types into search fields.

    A page may repeat what was searched for, so the bait alone proves nothing.
    """

    name: str
    number: int
    must: frozenset[str]
    """Who must be able to find it somewhere."""
    may: frozenset[str]
    """Who else may."""
    after_answering: bool = False
    """It may be seen only once someone has sent forms: before that by nobody but `may`."""

    @property
    def mark(self) -> str:
        return f"mark{self.number:04d}x"

    @property
    def bait(self) -> str:
        return f"bait{self.number:04d}x"

    def __str__(self) -> str:
        return f"The {self.bait} is beside the {self.mark}."


MARK = re.compile(r"mark\d{4}x")


@dataclass
class Book:
    """Takes what is planted. `people` are the accounts, by name; `stranger` owns what is nobody else's business."""

    people: dict[str, User]
    stranger: User
    folder: Path
    """An empty folder for what a plant keeps in files."""
    all: list[Planted] = field(default_factory=list)

    def plant(
        self, name: str, must: Iterable[str] = (), *, may: Iterable[str] = (STAFF,), after_answering: bool = False
    ) -> str:
        """Return a new sentence that `must` be found by some, may be found by others (staff), and by nobody else."""
        planted = Planted(name, len(self.all) + 1, frozenset(must), frozenset(may), after_answering)
        self.all.append(planted)
        return str(planted)

    def by_mark(self) -> dict[str, Planted]:
        return {each.mark: each for each in self.all}
