"""Play every lab's starter and its right and wrong solutions, and compare each verdict with what it must be.

A wrong solution begins with comments that say so:

    # outcome: failed
    # failing: saved-bytes, peak-bytes      (exactly the checks that fail; left out where no check is reached)
    # sometimes: dropout                    (checks that may fail too, as the sizes and seeds are drawn)

An attack is a file of the same kind, anywhere. It may also say

    # outcome: crashed|killed               (either is right; # note: says why)
    # lab: checkpoint-function              (the lab it is submitted to)
    # mode: submit                          ("run", which is quicker, where nothing else is said)
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from grader import catalog, devices, judge, pool
from grader.catalog import Lab
from grader.verdict import Outcome, Verdict

ATTACKED = "checkpoint-function"
"""The lab that an attack is submitted to where it names none: it judges results, bytes and work alike."""


@dataclass(frozen=True)
class Expectation:
    """One solution or attack and the verdict that it must get: one of `outcomes`, with these failing checks.

    Exactly `failing` fail, and besides them at most those of `sometimes`.
    """

    lab: Lab
    path: Path
    outcomes: tuple[Outcome, ...]
    failing: frozenset[str] | None
    mode: str = "submit"
    sometimes: frozenset[str] = frozenset()

    @property
    def name(self) -> str:
        if self.is_starter:
            return f"{self.lab.slug}/starter"
        return f"{self.lab.slug}/{self.path.parent.name}/{self.path.stem}" + (" (Run)" if self.is_right_run else "")

    @property
    def is_starter(self) -> bool:
        return self.path.parent == self.lab.folder

    @property
    def is_right_run(self) -> bool:
        """Whether this is a right solution on the public cases alone."""
        return self.mode == "run" and self.path.parent.name == "right"

    @property
    def outcome(self) -> Outcome:
        """The outcome that is named first."""
        return self.outcomes[0]

    def grade(self) -> Verdict:
        """Grade it on the first of the lab's devices that is here. Raises ValueError where none is."""
        device = devices.choose(self.lab) or self.lab.devices[0]
        return judge.grade(self.lab.slug, self.path.read_bytes(), mode=self.mode, device=device)

    def complaint(self, verdict: Verdict) -> str:
        """Say how `verdict` differs from what was expected; empty if it does not."""
        failed = frozenset(check.name for check in verdict.checks if not check.passed)
        if verdict.outcome not in self.outcomes:
            return f"outcome {verdict.outcome} instead of {' or '.join(self.outcomes)} ({verdict.message})"
        if self.failing is not None and failed - self.sometimes != self.failing:
            return f"failed {_names(failed)} instead of {_names(self.failing)}"
        if self.path.parent.name == "right":
            unproved = frozenset(check.name for check in verdict.checks) - proved(self.lab)
            if unproved:
                return f"no wrong solution must fail {_names(unproved)}: switched off, nobody would notice"
        return ""


@dataclass(frozen=True)
class Played:
    """A solution that was played: its expectation, its verdict, and the complaint (empty if all is well)."""

    expectation: Expectation
    verdict: Verdict
    complaint: str


def expectations(lab: Lab) -> list[Expectation]:
    """Return what each file in the lab's folder must get. Raises ValueError for a wrong solution that does not say.

    The starter need only not pass: some run into the very error that the lab is about.
    """
    starter = Expectation(lab, lab.folder / "starter.py", (Outcome.FAILED, Outcome.CRASHED), None, "run")
    right = [
        Expectation(lab, path, (Outcome.PASSED,), frozenset(), mode)
        for path in sorted((lab.folder / "right").glob("*.py"))
        for mode in ("submit", "run")
    ]
    return [starter, *right] + [_read(lab, path) for path in sorted((lab.folder / "wrong").glob("*.py"))]


def proved(lab: Lab) -> frozenset[str]:
    """Return the checks that at least one wrong solution of the lab must fail."""
    failing = (expectation.failing or frozenset() for expectation in expectations(lab))
    return frozenset().union(*failing)


def play(lab: Lab, only: str | None = None) -> Iterator[Played]:
    """Grade the lab's solutions one after another; `only` keeps those whose name contains it."""
    yield from _play(expectations(lab), only)


def skipped(lab: Lab) -> str:
    """Say why a lab cannot be played here; "" if it can."""
    if devices.choose(lab):
        return ""
    return f"{lab.slug} is skipped: it runs on {' or '.join(lab.devices)}. {devices.missing(lab.devices[0])}"


def attacks(folder: Path) -> list[Expectation]:
    """Return what each attack below `folder` must get. Raises ValueError for a folder without one, or a silent file."""
    found = []
    for path in sorted(folder.rglob("*.py")):
        lab = catalog.get(_said(path).get("lab", ATTACKED))
        found.append(_read(lab, path, "run"))
    if not found:
        raise ValueError(f"{folder} holds no attack: name a folder of Python files, for instance tests/attacks")
    return found


def play_attacks(folder: Path, only: str | None = None) -> Iterator[Played]:
    """Grade the attacks below `folder` one after another."""
    yield from _play(attacks(folder), only)


def _play(these: list[Expectation], only: str | None) -> Iterator[Played]:
    pool.keep(1)
    for expectation in these:
        if only is None or only in expectation.name:
            verdict = expectation.grade()
            yield Played(expectation, verdict, expectation.complaint(verdict))


def _read(lab: Lab, path: Path, mode: str = "submit") -> Expectation:
    said = _said(path)
    if "outcome" not in said:
        raise ValueError(f"{path}: the first line must say '# outcome: …'")
    failing = _listed(said["failing"]) if said.get("failing") else None
    outcomes = tuple(Outcome(word.strip()) for word in said["outcome"].split("|"))
    return Expectation(lab, path, outcomes, failing, said.get("mode", mode), _listed(said.get("sometimes", "")))


def _listed(names: str) -> frozenset[str]:
    return frozenset(name.strip() for name in names.split(",")) - {""}


def _said(path: Path) -> dict[str, str]:
    """Return the comments at a file's beginning: key to text."""
    said: dict[str, str] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        if not line.startswith("# "):
            break
        key, _, value = line[2:].partition(":")
        said[key.strip()] = value.strip()
    return said


def _names(names: frozenset[str]) -> str:
    return ", ".join(sorted(names)) or "nothing"
