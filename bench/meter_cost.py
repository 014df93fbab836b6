"""What metering costs and how well its figures repeat and agree.

    python -m bench.meter_cost [--quick]

cost           seconds of a metered update over a bare one, taken in turn: median of the pairs' ratios and the order
               statistics that hold it with 95 % confidence. Limit: none; times shown to people are taken unmetered.
repeatability  20 metered updates in this process and one in each of 3 fresh ones give the same bytes and FLOPs, to the
               unit. Leaves with 1 where they do not.
agreement      the allocator's peak beside the kernel's, read from outside the sandbox, of each lab's right solutions.
               Limit: the tolerance in `grader/runs.py`. Leaves with 1 beyond it.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Iterator
from statistics import median
from typing import Any

import torch

from bench import training
from bench.results import ROOT, machine, save, show
from grader import catalog, judge, meter
from grader.meter.timing import interval
from grader.program import Program
from grader.runs import KERNEL_TOLERANCE_BYTES, KERNEL_TOLERANCE_SHARE
from grader.verdict import Outcome

SIZES = ((2, 64), (4, 256), (8, 384))
"""Blocks and width of the language model in `bench/training.py`, 4 sequences of 256 tokens."""

RUNS, FRESH = 20, 3
FIGURES = ("saved_bytes", "peak_bytes", "replay_bytes", "flops", "replay_flops", "operators")
ONE = "from bench.meter_cost import figures; import torch; torch.set_num_threads(1); print(figures(*{size}))"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="5 pairs, one fresh process, two labs")
    quick = parser.parse_args().quick
    on = machine()
    torch.set_num_threads(1)
    meter.warm()
    costs = [cost(layers, width, pairs=5 if quick else 25) for layers, width in SIZES]
    rows: list[list[Any]] = [
        [f"{c['blocks']} blocks of {c['width']}", c["operators"], f"{c['bare_s']:.3f}", f"{c['metered_s']:.3f}",
         f"{c['ratio']:.2f} ({c['low']:.2f} to {c['high']:.2f})"] for c in costs
    ]  # fmt: skip
    show("Metered over bare", ["update", "operators", "bare s", "metered s", "ratio, 95 %"], rows)

    seen = [repeated(size, fresh=1 if quick else FRESH) for size in SIZES[:2]]
    rows = [[f"{s['blocks']} blocks of {s['width']}", s["runs"], len(s["different"]), s["different"][0]] for s in seen]
    show("Repeatability", ["update", "runs", "different", "the first " + ", ".join(FIGURES)], rows)

    agreed = list(agreement(2 if quick else None))
    rows = [
        [a["solution"], f"{a['allocator']:,}", f"{a['kernel']:,}", f"{a['share']:+.2%}", f"{a['excess']:,}"]
        for a in agreed
    ]
    allowed = f"{KERNEL_TOLERANCE_SHARE:.0%} and {KERNEL_TOLERANCE_BYTES:,} bytes"
    show(
        f"Kernel's peak less the allocator's; tolerance {allowed}",
        ["right solution", "allocator", "kernel", "share", "beyond"],
        rows,
    )
    save("meter_cost", on, {"quick": quick, "cost": costs, "repeatability": seen, "agreement": agreed})
    wrong = any(len(s["different"]) > 1 for s in seen) or any(a["excess"] for a in agreed)
    return 1 if wrong else 0


def update(layers: int, width: int) -> Program:
    """Return one update of a language model as a program: forward, backward, AdamW's step."""
    model, tokens, targets = training.made(layers, width)
    optimiser = torch.optim.AdamW(model.parameters())
    held: dict[str, torch.Tensor] = {}

    def forward() -> None:
        held["loss"] = model.loss(tokens, targets)

    phases = [
        ("forward", forward),
        ("backward", lambda: held.pop("loss").backward()),
        ("optimiser", lambda: optimiser.step()),
    ]
    return Program(phases, dict, modules=model, inputs=[tokens, targets], optimiser=optimiser)


def cost(layers: int, width: int, pairs: int) -> dict[str, Any]:
    """Time metered and bare updates in turn."""

    def metered() -> Program:
        inner = update(layers, width)
        return Program([("metered", lambda: found.append(meter.run(inner)))], dict)

    found: list[meter.Metered] = []
    # One pair at a time, for each ratio of its own.
    both = [meter.times(metered, lambda: update(layers, width), pairs=1, warmup=not n) for n in range(pairs)]
    ratios = [pair.ratio for pair in both]
    low, high = interval(ratios)
    return {
        "blocks": layers,
        "width": width,
        "operators": found[0].operators,
        "bare_s": median(pair.median / pair.ratio for pair in both),
        "metered_s": median(pair.median for pair in both),
        "ratio": median(ratios),
        "low": low,
        "high": high,
        "ratios": ratios,
    }


def figures(layers: int, width: int) -> list[int]:
    """Meter one update and return what must repeat, after one that is not metered."""
    meter.warm()
    for _, phase in update(layers, width).phases:
        phase()
    found = meter.run(update(layers, width))
    return [getattr(found, name) for name in FIGURES]


def repeated(size: tuple[int, int], fresh: int) -> dict[str, Any]:
    """Meter again and again, here and in fresh processes, and return the answers that differ: one."""
    answers = [figures(*size) for _ in range(RUNS)]
    for _ in range(fresh):
        command = [sys.executable, "-c", ONE.format(size=size)]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
        answers.append([int(word) for word in done.stdout.strip("[]\n").split(",")])
    different = [list(answer) for answer in dict.fromkeys(map(tuple, answers))]
    return {"blocks": size[0], "width": size[1], "runs": len(answers), "different": different}


def agreement(most: int | None) -> Iterator[dict[str, Any]]:
    """Grade right solutions and yield both peaks of each lab that measures bytes; `most` bounds the labs."""
    judge.warm()
    labs = 0
    for lab in catalog.all_labs():
        if "cpu" not in lab.devices or labs == most:
            continue
        for number, path in enumerate(sorted((lab.folder / "right").glob("*.py"))):
            verdict = judge.grade(lab.slug, path.read_bytes())
            assert verdict.outcome is Outcome.PASSED, (path, verdict.message)
            own, kernel = verdict.measurements.peak_bytes, verdict.measurements.kernel_peak_bytes
            if own is None or kernel is None:
                break
            labs += number == 0
            excess = max(0, kernel - own * (1 + KERNEL_TOLERANCE_SHARE) - KERNEL_TOLERANCE_BYTES)
            yield {
                "solution": f"{lab.slug}/{path.stem}",
                "allocator": own,
                "kernel": kernel,
                "share": kernel / own - 1,
                "excess": int(excess),
            }


if __name__ == "__main__":
    sys.exit(main())
