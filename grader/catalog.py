"""The labs, found as folders. Imports no torch and no lab code: the web process lists labs through this.

A lab is one folder under the catalogue (`labs/catalog` beside this package, or `HEADROOM_CATALOG`):
`lab.yaml`, `statement.md`, `starter.py`, `harness.py` (shown to the learner), `judge.py` (never leaves the
judge's side), `right/*.py` and `wrong/*.py` (each naming the outcome and the check that it must get).
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

import yaml

DEFAULT_ROOT = Path(__file__).resolve().parent.parent / "labs" / "catalog"

_REQUIRED = {"title", "summary", "tier", "order", "entry_points", "devices", "time_limit_s"}
_OPTIONAL = {"source_limit_bytes", "forbidden_imports", "minutes", "level", "lessons", "next"}
_FILES = ("statement.md", "starter.py", "harness.py", "judge.py")


@dataclass(frozen=True)
class Lab:
    """What is known about a lab without running any of its code.

    time_limit_s        wall seconds for one whole grading, the start of the sandbox included
    source_limit_bytes  largest submission accepted
    forbidden_imports   modules that the learner is asked to do without (judged by the check `written-yourself`)
    """

    slug: str
    folder: Path
    title: str
    summary: str
    tier: str
    order: int
    entry_points: tuple[str, ...]
    devices: tuple[str, ...]
    time_limit_s: float
    source_limit_bytes: int = 64 * 1024
    forbidden_imports: tuple[str, ...] = ()
    minutes: int = 30
    level: str = "core"
    lessons: tuple[str, ...] = ()
    next: tuple[str, ...] = ()

    @cached_property
    def statement(self) -> str:
        return (self.folder / "statement.md").read_text(encoding="utf-8")

    @cached_property
    def starter(self) -> str:
        return (self.folder / "starter.py").read_text(encoding="utf-8")

    @cached_property
    def harness(self) -> str:
        return (self.folder / "harness.py").read_text(encoding="utf-8")


def root() -> Path:
    """Return the catalogue's folder."""
    return Path(os.environ.get("HEADROOM_CATALOG") or DEFAULT_ROOT)


def all_labs() -> list[Lab]:
    """Return every lab of the catalogue, in order."""
    return list(_load_all(root()))


def get(slug: str) -> Lab:
    """Return one lab. Raises KeyError naming the labs there are."""
    labs = {lab.slug: lab for lab in all_labs()}
    if slug not in labs:
        raise KeyError(f"no lab named {slug!r}; there are: {', '.join(labs)}")
    return labs[slug]


def load(folder: Path) -> Lab:
    """Read one lab's folder. Raises ValueError naming the file and what is wrong with it."""
    path = folder / "lab.yaml"
    data = yaml.safe_load(path.read_text(encoding="utf-8"))
    if not isinstance(data, dict):
        raise ValueError(f"{path}: expected a mapping of keys")
    if missing := _REQUIRED - data.keys():
        raise ValueError(f"{path}: missing {', '.join(sorted(missing))}")
    if unknown := data.keys() - _REQUIRED - _OPTIONAL:
        raise ValueError(f"{path}: unknown {', '.join(sorted(unknown))}")
    for name in _FILES:
        if not (folder / name).is_file():
            raise ValueError(f"{folder}: {name} is missing")
    lists = ("entry_points", "devices", "forbidden_imports", "lessons", "next")
    data |= {name: tuple(data[name]) for name in lists if name in data}
    return Lab(slug=folder.name, folder=folder, **data)


@cache
def _load_all(catalogue: Path) -> tuple[Lab, ...]:
    labs = [load(path.parent) for path in catalogue.glob("*/lab.yaml")]
    return tuple(sorted(labs, key=lambda lab: (lab.order, lab.slug)))
