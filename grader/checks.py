"""Checks that many labs share. Each returns one `Check` with what was expected, what was seen, and a likely cause."""

from __future__ import annotations

from collections.abc import Mapping

import torch

from grader.compare import Comparison, compare
from grader.runs import CaseRun
from grader.verdict import Check


def same_results(
    run: CaseRun,
    titles: Mapping[str, str],
    causes: Mapping[str, str],
    tolerance: Mapping[torch.dtype, float] | None = None,
) -> Check:
    """Judge that every observed tensor and value of a case equals the plain run's.

    Named after the case's family. A case that crashed fails it, with the learner's own error as the hint.
    `tolerance` replaces the usual ones, by dtype; the one of float32 is what the check says.
    """
    family = run.case["family"]
    title = titles[family]
    if run.crash is not None:
        where = f" (line {run.crash.line})" if run.crash.line else ""
        return Check(family, title, False, "runs", "error", "", f"{run.crash.error}{where}. {causes[family]}")
    comparison: Comparison = compare(run.expected, run.observed, tolerance)
    limit = tolerance[torch.float32] if tolerance else run.tolerance()
    hint = "" if comparison.equal else f"{comparison.sentence()} {causes[family]}"
    if comparison.equal or comparison.largest_error > limit:
        actual: float | str = float(f"{comparison.largest_error:.2g}")
    else:
        actual = comparison.differences[0].sort.replace("_", " ")
    return Check(family, title, comparison.equal, limit, actual, "relative", hint)


def bytes_near_reference(run: CaseRun, figure: str, name: str, title: str, share_of_gap: float, hint: str) -> Check:
    """Judge `figure` ("saved_bytes" or "peak_bytes") against reference + share · (plain − reference), in bytes."""
    plain, reference = getattr(run.plain, figure), getattr(run.reference, figure)
    limit = int(reference + share_of_gap * (plain - reference))
    actual = run.decided_bytes(figure)
    passed = actual <= limit
    return Check(name, title, passed, limit, actual, "bytes", "" if passed else hint)


def recomputed_at_most(run: CaseRun, forwards: float, name: str, title: str, hint: str) -> Check:
    """Judge the work beyond the plain update, in units of the plain forward's FLOPs."""
    assert run.plain is not None and run.metered is not None
    forward = run.plain.flops_by_phase["forward"]
    actual = (run.metered.flops - run.plain.flops) / forward
    passed = actual <= forwards + 1e-9
    return Check(name, title, passed, forwards, round(actual, 4), "forwards", "" if passed else hint)
