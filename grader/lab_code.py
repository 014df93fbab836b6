"""Load a lab's harness and judge by path. Trusted code: only the judge's side calls this."""

from __future__ import annotations

import importlib.util
import sys
from functools import cache
from pathlib import Path
from types import ModuleType

from grader.catalog import Lab


def harness(lab: Lab) -> ModuleType:
    """Return the lab's public harness as a module."""
    return _load(lab.folder / "harness.py", lab.slug)


def judge(lab: Lab) -> ModuleType:
    """Return the lab's judge as a module.

    It defines `cases(rng, harness, mode)`, `check(runs)`, `PRIMARY` (the family whose run the verdict shows, or None),
    and where they apply `REFERENCE` (entry points of the best known solution), `expected(case)` (what is right, in
    place of a plain run), `timed_case(rng, harness, mode)`, and for a plot of memory against work `SELECTIVE` and
    `chain_program(case, run)` (see `grader.tradeoff.measuring`).
    """
    return _load(lab.folder / "judge.py", lab.slug)


@cache
def _load(path: Path, slug: str) -> ModuleType:
    name = f"headroom_lab_{slug.replace('-', '_')}_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module
