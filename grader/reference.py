"""The judge's own runs: what the plain update computes, and the figures of the plain and the reference run."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from typing import Any

import torch

from grader import lab_code, meter, wire
from grader.catalog import Lab
from grader.meter import Metered
from grader.program import Case, Program, build
from grader.runs import METER_BYTES, METER_BYTES_AN_OPERATOR, Prepared


def prepare() -> None:
    """Warm the meter in this process; every reference is computed with one intra-op thread, as the subject's is."""
    torch.set_num_threads(1)
    meter.warm()


def expected(lab: Lab, case: Case) -> tuple[dict[str, Any], Metered | None]:
    """Return what is right for a case, as the wire would carry it, and the plain run's figures (None if not measured).

    What is right comes from `expected(case)` of the lab's judge where it has one, else from the plain run.
    """
    own = getattr(lab_code.judge(lab), "expected", None)
    if own is None:
        return _plain(lab, case)
    values, tensors = wire.split(own(case))
    return {**values, **tensors}, _plain(lab, case)[1] if case.get("measure") else None


def _plain(lab: Lab, case: Case) -> tuple[dict[str, Any], Metered | None]:
    harness = lab_code.harness(lab)
    program = build(harness, case, harness.PLAIN)
    key = _sizes(lab, case)
    found: list[Any] = []

    def report() -> None:
        found.extend(wire.split(program.observe()))
        wire.parts(*found)

    if case.get("measure") and key not in _plain_figures:
        _plain_figures[key] = meter.run(program, _device(case))
        _report_bytes[key] = meter.run(Program([("report", report)], dict)).peak_bytes
    else:
        for _, phase in program.phases:
            phase()
        report()
    values, tensors = found
    return {**values, **tensors}, _plain_figures.get(key) if case.get("measure") else None


def measure(lab: Lab, case: Case) -> None:
    """Meter everything about a measured case that does not depend on its seed."""
    expected(lab, case)
    prepared(lab, case)


def best(lab: Lab, case: Case) -> Metered:
    """Meter the best known solution of a case (`REFERENCE` of the lab's judge)."""
    key = _sizes(lab, case)
    if key not in _best_figures:
        program = build(lab_code.harness(lab), case, lab_code.judge(lab).REFERENCE)
        _best_figures[key] = _Own(*_timed(program, _device(case)))
    return _best_figures[key].metered


def cpu_seconds(lab: Lab, case: Case) -> float | None:
    """Return the processor time of the judge's metered reference update; None where it has run none."""
    own = _best_figures.get(_sizes(lab, case))
    return own.cpu_seconds if own else None


def prepared(lab: Lab, case: Case) -> Prepared:
    """Meter what preparing and reporting a case allocates; `expected` must have met it."""
    key = _sizes(lab, case)
    if key not in _prepared:
        harness, kept = lab_code.harness(lab), []
        found = meter.run(Program([("prepare", lambda: kept.append(build(harness, case, harness.PLAIN)))], dict))
        operators = max(_plain_figures[key].operators, best(lab, case).operators)
        _prepared[key] = Prepared(
            peak_bytes=found.peak_bytes,
            end_bytes=found.timeline["total"][-1],
            report_bytes=_report_bytes[key],
            meter_bytes=METER_BYTES + METER_BYTES_AN_OPERATOR * operators,
        )
    return _prepared[key]


@dataclass(frozen=True)
class _Own:
    """Figures of an update of the judge's own."""

    metered: Metered
    cpu_seconds: float


def _timed(program: Program, device: str) -> tuple[Metered, float]:
    began = time.thread_time()
    metered = meter.run(program, device)
    return metered, time.thread_time() - began


_plain_figures: dict[str, Metered] = {}
_best_figures: dict[str, _Own] = {}
_report_bytes: dict[str, int] = {}
_prepared: dict[str, Prepared] = {}


def _device(case: Case) -> str:
    return str(case.get("device", "cpu"))


def _sizes(lab: Lab, case: Case) -> str:
    """Name what bytes and FLOPs depend on: everything about a case but its seed and name. Labs bound their sizes."""
    sizes = {key: value for key, value in case.items() if key not in ("seed", "name")}
    return f"{lab.slug} {json.dumps(sizes, sort_keys=True)}"
