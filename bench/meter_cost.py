"""What metering costs and how well its figures repeat and agree.

    python -m bench.meter_cost [--quick]

cost           seconds of a metered update over a bare one, taken in turn: median of the pairs' ratios and the order
               statistics that hold it with 95 % confidence. Limit: none; times shown to people are taken unmetered.
repeatability  20 metered updates in this process and one in each of 3 fresh ones give the same bytes and FLOPs, to the
               unit. Leaves with 1 where they do not.
agreement      the allocator's peak beside the kernel's, read from outside the sandbox, of two right solutions a lab.
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
from bench.results import ROOT, machine, missed, row, save, show, show_rows
from grader import catalog, judge, meter
from grader.meter.timing import interval
from grader.program import Program
from grader.runs import KERNEL_TOLERANCE_BYTES, KERNEL_TOLERANCE_SHARE
from grader.verdict import Outcome

SIZES = ((2, 64), (4, 256), (8, 384))
"""Blocks and width of the language model in `bench/training.py`, 4 sequences of 256 tokens."""

RUNS, FRESH = 20, 3
SOLUTIONS = 2
"""Right solutions of each lab whose peaks are compared; the suite plays them all."""
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
    seen = [repeated(size, fresh=1 if quick else FRESH) for size in SIZES]
    failed: list[str] = []
    agreed = list(agreement(2 if quick else None, failed))
    show(
        "Kernel's peak less the allocator's",
        ["right solution", "allocator", "kernel", "share", "beyond the tolerance"],
        [
            [a["solution"], f"{a['allocator']:,}", f"{a['kernel']:,}", f"{a['share']:+.2%}", f"{a['excess']:,}"]
            for a in agreed
        ],
    )
    rows = [one for found in costs for one in cost_rows(found)]
    rows += [repeat_row(found) for found in seen]
    if agreed:
        rows.append(agreement_row(agreed))
    title = "What the meter costs, whether it repeats, and whether the kernel agrees"
    show_rows(title, rows)
    if failed:
        print(f"\ndid not pass: {'; '.join(failed)}")
    figures = {"cost": costs, "repeatability": seen, "agreement": agreed, "failed": failed}
    save("meter_cost", on, {"title": title, "quick": quick, "rows": rows, **figures})
    return int(missed(rows) or bool(failed))


def cost_rows(found: dict[str, Any]) -> list[dict[str, Any]]:
    """Return bare and metered seconds; the ratio is the median of the pairs' ratios."""
    size = f"update of {found['blocks']} blocks of {found['width']}"
    bare = row(f"{size}, bare", "s", found["bare_s"])
    name = f"{size}, metered ({found['operators']} operators)"
    metered = row(name, "s", found["metered_s"], against=bare)
    return [bare, metered | {"ratio": found["ratio"]}]


def repeat_row(found: dict[str, Any]) -> dict[str, Any]:
    peaks = [answer[FIGURES.index("peak_bytes")] for answer in found["answers"]]
    name = f"peak of {found['blocks']} blocks of {found['width']}, again and again"
    aim = "bytes and FLOPs the same, to the unit"
    return row(name, "bytes", peaks, aim=aim, met=len(found["different"]) == 1)


def agreement_row(agreed: list[dict[str, Any]]) -> dict[str, Any]:
    beyond = [a["kernel"] - a["allocator"] for a in agreed]
    aim = f"within {KERNEL_TOLERANCE_SHARE:.0%} and {KERNEL_TOLERANCE_BYTES:,} bytes"
    met = not any(a["excess"] for a in agreed)
    return row("kernel's peak less the allocator's, right solutions", "bytes", beyond, aim=aim, met=met)


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
        "bare_s": [pair.median / pair.ratio for pair in both],
        "metered_s": [pair.median for pair in both],
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
    return {"blocks": size[0], "width": size[1], "answers": answers, "different": different}


def agreement(most: int | None, failed: list[str]) -> Iterator[dict[str, Any]]:
    """Grade right solutions and yield both peaks of each lab that measures bytes; `most` bounds the labs.

    What does not pass is added to `failed`, and the rest is still measured.
    """
    judge.warm()
    labs = 0
    for lab in catalog.all_labs():
        if "cpu" not in lab.devices or labs == most:
            continue
        for number, path in enumerate(sorted((lab.folder / "right").glob("*.py"))[:SOLUTIONS]):
            verdict = judge.grade(lab.slug, path.read_bytes())
            if verdict.outcome is not Outcome.PASSED:
                print(f"\n{lab.slug}/{path.stem}: {verdict.outcome}. {verdict.message}", flush=True)
                failed.append(f"{lab.slug}/{path.stem}")
                continue
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
