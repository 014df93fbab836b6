"""Judge labs whose answer is a number: by relative error, so that no verdict ever carries the number itself."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import torch

from grader.runs import CaseRun
from grader.verdict import Check

RECOGNISED = 1e-3
"""How near an answer must lie to what a known mistake gives before the mistake is named."""


def within(
    run: CaseRun,
    title: str,
    tolerance: float | Mapping[str, float],
    cause: str,
    mistakes: Mapping[str, Mapping[str, float]] | None = None,
) -> Check:
    """Judge that every answer of a case lies within `tolerance` (a share, or one share per answer) of what is right.

    Named after the case's family. `mistakes` maps a sentence to what the answers would be if that mistake were made:
    where the wrong answers are those, the sentence is the hint, else `cause`. A crash fails with the learner's error.
    """
    family = run.case["family"]
    allowed = _each(tolerance, run.expected)
    promise = f"within {percent(max(allowed.values()))}" if any(allowed.values()) else "exact"
    if run.crash is not None:
        where = f" (line {run.crash.line})" if run.crash.line else ""
        return Check(family, title, False, promise, "error", "", f"{run.crash.error}{where}. {cause}")
    if unlike := [name for name in run.expected if number(run.observed.get(name)) is None]:
        hint = f"The answer to {unlike[0]} is not a finite number. Return an int or a float. {cause}"
        return Check(family, title, False, promise, "not a number", "", hint)
    errors = {name: error(run.observed[name], want) for name, want in run.expected.items()}
    wrong = [name for name in errors if abs(errors[name]) > allowed[name]]
    worst = max(wrong or errors, key=lambda name: abs(errors[name]))
    hint = (_recognise(run, wrong, mistakes or {}) or cause) if wrong else ""
    return Check(family, title, not wrong, promise, _off(errors[worst]), "", hint)


def number(value: Any) -> float | None:
    """Return an answer as a float; None if it is not one finite number (a bool is not)."""
    if isinstance(value, torch.Tensor):
        value = value.item() if value.numel() == 1 and not value.is_complex() else None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if math.isfinite(value) else None


def error(got: Any, want: Any) -> float:
    """Return the relative error of an answer, with its sign. Where 0 is right, anything else is infinitely wrong."""
    answer, right = number(got), number(want)
    assert answer is not None and right is not None
    if right == 0:
        return 0.0 if answer == 0 else math.copysign(math.inf, answer)
    return (answer - right) / abs(right)


def _off(share: float) -> str:
    """Write an error with its sign; what is floating point's alone is written as nothing."""
    return f"{100 * share:+.3g} %" if abs(share) > 1e-9 else "0 %"


def percent(share: float) -> str:
    """Write a share as per cent: "1 %", "0.1 %"."""
    return f"{100 * share:.3g} %"


def _each(tolerance: float | Mapping[str, float], names: Mapping[str, Any]) -> dict[str, float]:
    return {name: tolerance[name] if isinstance(tolerance, Mapping) else tolerance for name in names}


def _recognise(run: CaseRun, wrong: list[str], mistakes: Mapping[str, Mapping[str, float]]) -> str:
    """Return the sentence of the mistake that gives just these wrong answers, or an empty one."""
    for sentence, answers in mistakes.items():
        if all(name in answers and abs(error(run.observed[name], answers[name])) < RECOGNISED for name in wrong):
            return sentence
    return ""
