"""Seconds that a Submit and a Run take, lab by lab: on the command line, and in a worker that is warm.

    python -m bench.grading [--quick] [--lab SLUG] [--rounds N]

Each lab's first right solution is graded
    cold     by a fresh `python -m grader grade`: importing torch and starting the sandbox included
    first    as the first grading of a warm process, whose sandbox waits ready
    second   once more in the same process, after a pause in which the next sandbox became ready
and the median of the rounds (three) is printed with the lowest and highest. Limits: 15 s for a Submit, 5 s for a Run,
in a warm process. Leaves with 1 beyond either, or where a right solution does not pass.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from itertools import product
from typing import Any

from bench.results import ROOT, machine, save, show, spread, written
from grader import catalog

LIMITS_S = {"submit": 15.0, "run": 5.0}
PAUSE_S = 4.0
"""In this the waiting sandbox imports torch (0.9 s on an idle core). Nobody sends twice in less."""

WARM = f"""
import json, sys, time
from grader import judge
slug, path, mode = sys.argv[1:]
source = open(path, "rb").read()
judge.warm()
found = []
for _ in range(2):
    time.sleep({PAUSE_S})
    began = time.perf_counter()
    verdict = judge.grade(slug, source, mode=mode)
    found.append(time.perf_counter() - began)
    assert verdict.outcome == "passed", (slug, verdict.outcome, verdict.message)
print(json.dumps(found))
"""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="three labs, once")
    parser.add_argument("--lab", help="one lab only")
    parser.add_argument("--rounds", type=int, default=3, help="how often each is timed")
    options = parser.parse_args()
    labs = [lab for lab in catalog.all_labs() if "cpu" in lab.devices and options.lab in (None, lab.slug)]
    if not labs:
        parser.error(f"no lab named {options.lab!r} runs on a CPU")
    labs = labs[:3] if options.quick else labs
    on, rows, figures, beyond = machine(), [], [], False
    for lab, mode in product(labs, LIMITS_S):
        try:
            found = measured(lab, mode, times=1 if options.quick else options.rounds)
        except RuntimeError as error:  # what was timed before is still worth its table
            print(f"\n{lab.slug} {mode}: {error}", flush=True)
            rows.append([lab.slug, mode, "-", "-", "-", "did not pass"])
            beyond = True
            continue
        over = max(found["first"]["median"], found["second"]["median"]) > LIMITS_S[mode]
        beyond |= over
        figures.append({"lab": lab.slug, "mode": mode, "limit_s": LIMITS_S[mode], **found})
        columns = [written(found[name]) for name in ("cold", "first", "second")]
        rows.append([lab.slug, mode, *columns, f"{LIMITS_S[mode]:g}{' OVER' if over else ''}"])
        print(".", end="", flush=True)
    heads = ["lab", "mode", "cold", "warm, first", "warm, second", "limit"]
    show("Seconds of one grading: median (lowest to highest)", heads, rows)
    save("grading", on, {"quick": options.quick, "gradings": figures})
    return 1 if beyond else 0


def measured(lab: catalog.Lab, mode: str, times: int) -> dict[str, dict[str, Any]]:
    """Return the spread of cold, first and second over `times` rounds. Raises RuntimeError where it did not pass."""
    path = str(min((lab.folder / "right").glob("*.py")))
    cold, first, second = [], [], []
    for _ in range(times):
        began = time.perf_counter()
        said([sys.executable, "-m", "grader", "grade", lab.slug, path, "--mode", mode])
        cold.append(time.perf_counter() - began)
        warm = json.loads(said([sys.executable, "-c", WARM, lab.slug, path, mode]).splitlines()[-1])
        first.append(warm[0])
        second.append(warm[1])
    return {"cold": spread(cold), "first": spread(first), "second": spread(second)}


def said(command: list[str]) -> str:
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)[:200]}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.stdout


if __name__ == "__main__":
    sys.exit(main())
