"""The limit of every grading: a lab's cases played and judged in one warm process, with no sandbox, queue or database.

    python -m bench.peers.limit LAB [--mode run] [--times N] [--seconds S]

Says "ready" once torch is imported and one grading is done, waits for a line, then grades the lab's first right
solution N times, or for S seconds, and prints the seconds of each as JSON. What the judge computes to compare with is
part of it, and so are the step times that a Submit shows, as they are of a worker's
grading; what does not depend on a case's seed is computed once, as there.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import time
import types
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from bench.results import ROOT
from grader import catalog, lab_code, meter, reference, wire
from grader import judge as grading
from grader.catalog import Lab
from grader.program import Case, Program, build
from grader.runs import CaseRun


def play(lab: Lab, source: str, mode: str, rng: random.Random) -> None:
    """Grade once. Raises RuntimeError where a check fails."""
    harness, judge = lab_code.harness(lab), lab_code.judge(lab)
    module = types.ModuleType("submission")
    exec(compile(source, "submission.py", "exec"), module.__dict__)
    entry = {name: getattr(module, name) for name in lab.entry_points}
    runs = [played(lab, harness, case, entry) for case in judge.cases(rng, harness, mode)]
    if wrong := [check for check in judge.check(runs) if not check.passed]:
        raise RuntimeError(f"the right solution of {lab.slug} fails {wrong[0].name}: {wrong[0].hint}")
    if mode == "submit" and (timed_case := getattr(judge, "timed_case", None)):
        case = timed_case(rng, harness, mode)
        meter.times(
            lambda: build(harness, case, entry), lambda: build(harness, case, harness.PLAIN), pairs=grading.TIME_PAIRS
        )


def played(lab: Lab, harness: types.ModuleType, case: Case, entry: dict[str, Any]) -> CaseRun:
    """Play one case as the judge and its subject do between them: a measured one is warmed first."""
    measured = bool(case.get("measure"))
    run = CaseRun(case)
    run.expected, run.plain = reference.expected(lab, case)
    if measured:
        run.reference, run.prepared = reference.best(lab, case), reference.prepared(lab, case)
        through(build(harness, case, entry))
    program = build(harness, case, entry)
    if measured:
        run.metered = meter.run(program)
    else:
        through(program)
    values, tensors = wire.split(program.observe())
    run.observed = {**values, **tensors}
    return run


def through(program: Program) -> None:
    for _, phase in program.phases:
        phase()


@contextmanager
def waiting(slug: str, *options: str, environment: dict[str, str]) -> Iterator[subprocess.Popen[str]]:
    """Start this module as a process that is ready; `seconds` lets it go. It has ended afterwards."""
    command = [sys.executable, "-m", __name__, slug, *options]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    process = subprocess.Popen(command, cwd=ROOT, env=environment, text=True, **pipes)  # type: ignore[call-overload]
    try:
        if process.stdout.readline() != "ready\n":
            raise RuntimeError(f"{slug} cannot be played in one process")
        yield process
    finally:
        process.kill()
        process.communicate()


def go(process: subprocess.Popen[str]) -> None:
    """Let a process that waits begin."""
    assert process.stdin
    process.stdin.write("\n")
    process.stdin.flush()


def seconds(process: subprocess.Popen[str]) -> list[float]:
    """Return what a process measured since `go`."""
    assert process.stdout
    return [float(one) for one in json.loads(process.stdout.readline())]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lab")
    parser.add_argument("--mode", default="submit", choices=("run", "submit"))
    parser.add_argument("--times", type=int, default=sys.maxsize)
    parser.add_argument("--seconds", type=float, default=float("inf"))
    options = parser.parse_args()
    lab, rng = catalog.get(options.lab), random.Random(0)
    source = min((lab.folder / "right").glob("*.py")).read_text(encoding="utf-8")
    reference.prepare()
    play(lab, source, options.mode, rng)
    print("ready", flush=True)
    sys.stdin.readline()
    found: list[float] = []
    end = time.perf_counter() + options.seconds
    while len(found) < options.times and (began := time.perf_counter()) < end:
        play(lab, source, options.mode, rng)
        found.append(time.perf_counter() - began)
    print(json.dumps(found), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
