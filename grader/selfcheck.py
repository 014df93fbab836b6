"""Play every lab's right and wrong solutions and compare the verdict with the one that each file says it must get.

A wrong solution begins with comments that say so:

    # outcome: failed
    # failing: saved-bytes, peak-bytes      (exactly the checks that fail; left out where no check is reached)
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from grader import judge, pool
from grader.catalog import Lab
from grader.verdict import Outcome, Verdict


@dataclass(frozen=True)
class Expectation:
    """One solution and the verdict that it must get."""

    lab: Lab
    path: Path
    outcome: Outcome
    failing: frozenset[str] | None

    @property
    def name(self) -> str:
        return f"{self.lab.slug}/{self.path.parent.name}/{self.path.stem}"

    def complaint(self, verdict: Verdict) -> str:
        """Say how `verdict` differs from what was expected; empty if it does not."""
        failed = frozenset(check.name for check in verdict.checks if not check.passed)
        if verdict.outcome is not self.outcome:
            return f"outcome {verdict.outcome} instead of {self.outcome} ({verdict.message})"
        if self.failing is not None and failed != self.failing:
            return f"failed {_names(failed)} instead of {_names(self.failing)}"
        return ""


@dataclass(frozen=True)
class Played:
    """A solution that was played: its expectation, its verdict, and the complaint (empty if all is well)."""

    expectation: Expectation
    verdict: Verdict
    complaint: str


def expectations(lab: Lab) -> list[Expectation]:
    """Return what each solution in the lab's folder must get. Raises ValueError for a file that does not say."""
    right = [
        Expectation(lab, path, Outcome.PASSED, frozenset()) for path in sorted((lab.folder / "right").glob("*.py"))
    ]
    return right + [_read(lab, path) for path in sorted((lab.folder / "wrong").glob("*.py"))]


def play(lab: Lab, only: str | None = None) -> Iterator[Played]:
    """Grade the lab's solutions one after another; `only` keeps those whose name contains it."""
    pool.keep(1)
    for expectation in expectations(lab):
        if only is None or only in expectation.name:
            verdict = judge.grade(lab.slug, expectation.path.read_bytes())
            yield Played(expectation, verdict, expectation.complaint(verdict))


def _read(lab: Lab, path: Path) -> Expectation:
    said = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        if not line.startswith("# "):
            break
        key, _, value = line[2:].partition(":")
        said[key.strip()] = value.strip()
    if "outcome" not in said:
        raise ValueError(f"{path}: the first line must say '# outcome: …'")
    names = said.get("failing")
    failing = frozenset(name.strip() for name in names.split(",")) if names else None
    return Expectation(lab, path, Outcome(said["outcome"]), failing)


def _names(names: frozenset[str]) -> str:
    return ", ".join(sorted(names)) or "nothing"
