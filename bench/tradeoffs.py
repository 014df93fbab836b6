"""Memory against work for the stacks of two lessons: every method and the best schedules, all metered."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import torch

from bench import budgets, stacks
from grader import frontier, meter
from grader.frontier import BlockProfile
from grader.tradeoff import Point, Tradeoff, svg
from grader.tradeoff.measuring import Run, trace


def stack() -> dict[str, Any]:
    """The stack of equal transformer blocks; selective recomputation runs the attention core again."""
    torch.manual_seed(0)
    blocks = torch.nn.ModuleList(stacks.Block() for _ in range(stacks.BLOCKS))
    profile = frontier.measure(blocks, torch.randn(stacks.BATCH, stacks.TOKENS, stacks.WIDTH))
    methods, best = trace(profile, ("the attention core run again", stacks.selective), stacks.stack)
    return laid_out(stacks.SHAPE, profile, methods, best)


def pyramid() -> dict[str, Any]:
    """The pyramid of unequal blocks; selective recomputation keeps the products and makes the rest again."""

    def metered(run: Run) -> meter.Metered:
        for _, phase in program(run).phases:
            phase()
        return meter.run(program(run))

    def program(run: Run) -> Any:
        blocks, x_BSD = budgets.pyramid()
        return frontier.update(blocks, x_BSD, run)

    profile = frontier.measure(*budgets.pyramid())
    methods, best = trace(profile, ("products kept, the rest made again", frontier.keep_products), metered)
    return laid_out(budgets.SHAPE, profile, methods, best)


def laid_out(
    title: str, profile: list[BlockProfile], methods: tuple[Point, ...], best: tuple[Point, ...]
) -> dict[str, Any]:
    """Return what the artefact holds: the points, and the methods' figures under names that prose can refer to."""
    plain = methods[0]
    numbers: dict[str, Any] = {"blocks": len(profile)}
    for point in methods:
        numbers[f"{point.name}_peak_bytes"] = point.peak_bytes
        numbers[f"{point.name}_step_flops"] = point.step_flops
        numbers[f"{point.name}_peak_of_plain_fraction"] = point.peak_bytes / plain.peak_bytes
        numbers[f"{point.name}_again_fraction"] = point.step_flops / plain.step_flops - 1
    return {
        "title": title,
        "methods": [asdict(point) for point in methods],
        "frontier": [asdict(point) for point in best],
        "numbers": numbers,
    }


def pictures(made: dict[str, Any], ident: str) -> dict[str, str]:
    """Return the picture for a wide and for a narrow place, by the end of their files' names."""
    points = {key: tuple(Point(**point) for point in made[key]) for key in ("methods", "frontier")}
    shown = Tradeoff(case=ident, **points, command="", torch="")
    return {
        "": svg(shown, prefix=ident),
        "-narrow": svg(shown, width=340, height=320, prefix=f"{ident}-narrow"),
    }
