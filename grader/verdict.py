"""The typed verdict on one submission, and its JSON form. Imports no torch, so the web process can read it."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class Outcome(StrEnum):
    """How a grading ended. Only `UNGRADABLE` is our fault; it is never scored as the learner's."""

    PASSED = "passed"
    FAILED = "failed"
    CRASHED = "crashed"
    TIMED_OUT = "timed_out"
    OUT_OF_MEMORY = "out_of_memory"
    KILLED = "killed"
    REFUSED = "refused"
    UNGRADABLE = "ungradable"

    @property
    def ran(self) -> bool:
        """Whether the submission ran to its end: *it ran* and *it is right* are two questions."""
        return self in (Outcome.PASSED, Outcome.FAILED)


Value = float | int | str | bool | None


@dataclass(frozen=True)
class Check:
    """One judged statement: what was expected, what was seen, and a hint that names the likely cause.

    `name` is stable (wrong solutions name the check that they must fail); `title` is what people read.
    """

    name: str
    title: str
    passed: bool
    expected: Value = None
    actual: Value = None
    unit: str = ""
    hint: str = ""


@dataclass(frozen=True)
class StepSeconds:
    """Time of one update: median with a 95 % interval, and the ratio to the plain run taken in turn with it."""

    median: float
    low: float
    high: float
    ratio: float


@dataclass(frozen=True)
class Measurements:
    """What was measured, in bytes, FLOPs and seconds; all bytes above what was live when the update started."""

    saved_bytes: int | None = None
    peak_bytes: int | None = None
    plain_peak_bytes: int | None = None
    plain_saved_bytes: int | None = None
    replay_bytes: int | None = None
    step_flops: int | None = None
    plain_flops: int | None = None
    recomputed_flops: int | None = None
    step_seconds: StepSeconds | None = None
    kernel_peak_bytes: int | None = None


@dataclass(frozen=True)
class Verdict:
    """The result of grading one submission.

    `timeline` maps a run's name ("yours", "plain", "reference") to a timeline as `grader.timeline` describes it.
    `peak` is the learner's own peak: {"bytes", "phase", "index", "tensors": [...]}.
    `output` is what the submission printed, cut by whole lines; `message` is one sentence a learner can act on.
    """

    lab: str
    outcome: Outcome
    score: float = 0.0
    device: str = "cpu"
    checks: tuple[Check, ...] = ()
    measurements: Measurements = field(default_factory=Measurements)
    timeline: dict[str, Any] = field(default_factory=dict)
    peak: dict[str, Any] = field(default_factory=dict)
    message: str = ""
    traceback: str = ""
    output: str = ""
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not (math.isfinite(self.score) and 0.0 <= self.score <= 1.0):
            raise ValueError(f"score must be finite and between 0 and 1, got {self.score!r}")
        if self.outcome is Outcome.PASSED and not all(check.passed for check in self.checks):
            raise ValueError("a passed verdict has a failed check")

    @property
    def ran(self) -> bool:
        return self.outcome.ran

    def to_json(self) -> dict[str, Any]:
        """Return the verdict as JSON-ready data. NaN and infinity become strings: JSON has neither."""
        data = dataclasses.asdict(self)
        data["outcome"] = self.outcome.value
        data["ran"] = self.ran
        return _finite(data)

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Verdict:
        """Rebuild a verdict from `to_json` data. Raises KeyError, TypeError or ValueError on anything else."""
        fields = {f.name for f in dataclasses.fields(cls)}
        kept = {name: value for name, value in data.items() if name in fields}
        kept["outcome"] = Outcome(kept["outcome"])
        kept["checks"] = tuple(Check(**check) for check in kept.get("checks", ()))
        measured = dict(kept.get("measurements") or {})
        if measured.get("step_seconds"):
            measured["step_seconds"] = StepSeconds(**measured["step_seconds"])
        kept["measurements"] = Measurements(**measured)
        kept["notes"] = tuple(kept.get("notes", ()))
        return cls(**kept)


def _finite(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else ("infinity" if value > 0 else "-infinity")
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return value
