"""Meter a lab's main case under every schedule that its trade-off shows. Executed, not predicted.

A lab takes part by naming `SELECTIVE` in its judge: (words, function of blocks and input) for the run that keeps the
dear results inside blocks and makes the cheap ones again. Where its entry point is not a function of blocks and input,
`chain_program(case, run)` builds the update instead.
"""

from __future__ import annotations

import json
import math
import random
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch

from grader import frontier, lab_code, meter
from grader.catalog import Lab
from grader.frontier import BlockProfile, Schedule
from grader.meter import Metered
from grader.program import Case, Program, build
from grader.reference import prepare
from grader.tradeoff.points import FILE, Point, Tradeoff, to_json

Run = Callable[..., torch.Tensor]

BUDGETS = 24
"""Budgets between the least peak and the plain one that the frontier is solved for; many have the same schedule."""

DRAWS = 40
"""How often a lab's cases are drawn to meet every size that its main case can have."""


def takes_part(lab: Lab) -> bool:
    return hasattr(lab_code.judge(lab), "SELECTIVE")


def write(lab: Lab) -> list[Tradeoff]:
    """Measure every size of the lab's main case, and write the artefact into its folder."""
    made = [measure(lab, case) for case in sizes(lab)]
    data = {
        "command": f"python -m grader tradeoff {lab.slug}",
        "torch": torch.__version__.partition("+")[0],
        "sizes": [to_json(one) for one in made],
    }
    (lab.folder / FILE).write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
    return made


def sizes(lab: Lab) -> list[Case]:
    """Return the lab's main case in each size that a Run or a Submit may play."""
    judge, harness = lab_code.judge(lab), lab_code.harness(lab)
    found: dict[str, Case] = {}
    for draw in range(DRAWS):
        for mode in ("run", "submit"):
            drawn = judge.cases(random.Random(draw), harness, mode)
            case = next(case for case in drawn if case["family"] == judge.PRIMARY)
            size = {key: value for key, value in case.items() if key not in ("name", "seed", "budget")}
            found.setdefault(json.dumps(size, sort_keys=True), {**case, "seed": 1})
    return list(found.values())


def measure(lab: Lab, case: Case) -> Tradeoff:
    """Meter the case of a lab in every way, the selective one being the lab's."""
    prepare()
    profile, selective = _profile(lab, case), lab_code.judge(lab).SELECTIVE
    methods, best = trace(profile, selective, lambda run: meter.run(_program(lab, case, run)))
    return Tradeoff(case["name"], methods, best, "", torch.__version__)


def trace(
    profile: Sequence[BlockProfile], selective: tuple[str, Run], metered: Callable[[Run], Metered]
) -> tuple[tuple[Point, ...], tuple[Point, ...]]:
    """Return methods and frontier of a chain of blocks: plain, with every block replayed, in about as many segments as
    the root of their number, selective (its words and its run), and under the best schedules for budgets in between.

    `metered` runs one update in which `run(blocks, x)` is the forward of the chain.
    """
    count = len(profile)
    segments = max(1, round(math.sqrt(count)))
    lengths = [count * (n + 1) // segments - count * n // segments for n in range(segments)]
    runs = [
        ("plain", "plain: everything kept", _scheduled(frontier.plain(count))),
        ("full", "full: every block run again", _scheduled(frontier.replayed([1] * count))),
        ("root", f"square root: {segments} segments run again", _scheduled(frontier.replayed(lengths))),
        ("selective", f"selective: {selective[0]}", selective[1]),
    ]

    def point(name: str, words: str, run: Run) -> Point:
        found = metered(run)
        return Point(name, words, found.peak_bytes, found.flops)

    best = [point("best", _said(schedule), _scheduled(schedule)) for schedule in _schedules(profile)]
    return tuple(point(*run) for run in runs), tuple(_lowest(best))


def _schedules(profile: Sequence[BlockProfile]) -> list[Schedule]:
    least = frontier.smallest(profile)
    most = frontier.peak_bytes(profile, frontier.plain(len(profile)))
    step = (most - least.peak_bytes) / BUDGETS
    budgets = [int(least.peak_bytes + step * n) for n in range(1, BUDGETS)]
    found = [least, *filter(None, frontier.frontier(profile, budgets))]
    return list(dict.fromkeys([*(point.schedule for point in found), frontier.plain(len(profile))]))


def _said(schedule: Schedule) -> str:
    replayed = sum(isinstance(part, frontier.Replay) for part in schedule)
    kept = len(schedule) - replayed
    if not replayed:
        return "best: everything kept"
    return (
        f"best: {kept} block{'' if kept == 1 else 's'} kept, {replayed} segment{'' if replayed == 1 else 's'} run again"
    )


def _lowest(points: list[Point]) -> Iterator[Point]:
    """Yield the points that no other beats in both, from least bytes to least work."""
    least = math.inf
    for point in sorted(points, key=lambda point: (point.peak_bytes, point.step_flops)):
        if point.step_flops < least:
            least = point.step_flops
            yield point


def _scheduled(schedule: Schedule) -> Run:
    return lambda blocks, x, *_: frontier.execute(list(blocks), x, schedule)


def _profile(lab: Lab, case: Case) -> list[BlockProfile]:
    """Meter the case's blocks one by one."""
    seen: list[Any] = []

    def run(blocks: Any, x: torch.Tensor, *_: Any) -> torch.Tensor:
        seen.append((blocks, x))
        return frontier.execute(list(blocks), x, frontier.plain(len(blocks)))

    for _, phase in _program(lab, case, run).phases:
        phase()
    blocks, x = seen[0]
    return frontier.measure(blocks, x)


def _program(lab: Lab, case: Case, run: Run) -> Program:
    harness, own = lab_code.harness(lab), getattr(lab_code.judge(lab), "chain_program", None)
    if own is not None:
        torch.manual_seed(case["seed"])
        return own(case, run)
    return build(harness, case, {lab.entry_points[0]: run})
