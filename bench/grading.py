"""Seconds that a Submit and a Run take, lab by lab: on the command line, and in a worker that is warm.

    python -m bench.grading [--quick] [--lab SLUG] [--rounds N]

Each lab's first right solution is graded
    cold     by a fresh `python -m grader grade`: importing torch and starting the sandbox included (Submit alone)
    warm     twice in one warm process, each time with a sandbox that waits ready; the first grading of a lab in a
             process also meters its references
and the median is printed with the lowest and highest; one round by default, since there are many labs. Limits: 15 s for
a Submit, 5 s for a Run, in a warm process. Leaves with 1 beyond either, or where a right solution does not pass.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from itertools import product

from bench.results import ROOT, machine, missed, row, save, show_rows
from bench.site import PAUSE_S
from grader import catalog

LIMITS_S = {"submit": 15.0, "run": 5.0}

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
    parser.add_argument("--rounds", type=int, default=1, help="how often each is timed")
    options = parser.parse_args()
    labs = [lab for lab in catalog.all_labs() if "cpu" in lab.devices and options.lab in (None, lab.slug)]
    if not labs:
        parser.error(f"no lab named {options.lab!r} runs on a CPU")
    labs = labs[:3] if options.quick else labs
    on, rows, failed = machine(), [], []
    for lab, mode in product(labs, LIMITS_S):
        name = f"{lab.slug}, {mode}"
        try:
            cold, warm = measured(lab, mode, times=1 if options.quick else options.rounds)
        except RuntimeError as error:  # what was timed before is still worth its table
            print(f"\n{name}: {error}", flush=True)
            failed.append(name)
            continue
        if cold:
            rows.append(row(f"{name}, command line", "s", cold))
        limit = LIMITS_S[mode]
        rows.append(row(f"{name}, warm", "s", warm, aim=f"within {limit:g} s", met=max(warm) <= limit))
        print(".", end="", flush=True)
    title = "Seconds of one grading, lab by lab"
    show_rows(title, rows)
    if failed:
        print(f"\ndid not pass: {'; '.join(failed)}")
    save("grading", on, {"title": title, "quick": options.quick, "rows": rows, "failed": failed})
    return int(missed(rows) or bool(failed))


def measured(lab: catalog.Lab, mode: str, times: int) -> tuple[list[float], list[float]]:
    """Return the seconds of cold and of warm gradings. Raises RuntimeError where one did not pass."""
    path = str(min((lab.folder / "right").glob("*.py")))
    cold: list[float] = []
    warm: list[float] = []
    for _ in range(times):
        if mode == "submit":
            began = time.perf_counter()
            said([sys.executable, "-m", "grader", "grade", lab.slug, path, "--mode", mode])
            cold.append(time.perf_counter() - began)
        warm += json.loads(said([sys.executable, "-c", WARM, lab.slug, path, mode]).splitlines()[-1])
    return cold, warm


def said(command: list[str]) -> str:
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)[:200]}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.stdout


if __name__ == "__main__":
    sys.exit(main())
