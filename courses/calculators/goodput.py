"""The share of wall time that advances a run which fails, restarts and saves.

Young 1974, "A first order approximation to the optimum checkpoint interval", and Daly 2006, "A higher order estimate of
the optimum checkpoint interval for restart dumps": failures at random with mean M, a save of d every t of work, and a
restart of R cost M·exp(R/M)·(exp((t + d)/M) - 1) of wall time for each t.
"""

from __future__ import annotations

import math

from courses.calculators.contract import Calculator, Field, Figure, InputError, Result
from courses.calculators.units import latex, rounded, show

FIELDS = (
    Field("devices", "Devices", "devices", 16_384, "int", min=1, max=10_000_000),
    Field(
        "device_mtbf",
        "One device fails every",
        "hours",
        50_000,
        "quantity",
        min=0.01,
        max=1e9,
        help="With its share of host, network and software. Any one failure stops the job.",
    ),
    Field("save", "A save holds the run up for", "s", 30, "quantity", min=0.001, max=1e6),
    Field(
        "interval",
        "Between saves",
        "min",
        None,
        "quantity",
        min=0.001,
        max=1e6,
        help="Empty: Young's best, √(2 · save · time between failures).",
    ),
    Field(
        "restart",
        "From failure to the next step",
        "min",
        10,
        "quantity",
        min=0,
        max=1e6,
        help="Notice, replace, start, load. Steps since the last save are lost on top.",
    ),
)


def compute(*, devices: int, device_mtbf: float, save: float, interval: float | None, restart: float) -> Result:
    """Return goodput and where the rest goes, times in seconds. Raises InputError."""
    between = device_mtbf / devices
    every = interval if interval is not None else math.sqrt(2 * save * between)
    if (every + save) / between > 500 or restart / between > 500:
        raise InputError(
            {"devices": f"The job fails every {show(between, 's')}, too often to get from one save to the next."}
        )
    wall = between * math.exp(restart / between) * math.expm1((every + save) / between)
    goodput = every / wall
    return Result(
        figures=(
            Figure.of("goodput", "Goodput", goodput, "fraction"),
            Figure.of("between_failures", "The job fails every", between, "s"),
            Figure.of("failures_per_day", "Failures a day", 86_400 / between, ""),
            Figure.of("interval", "Between saves", every, "s"),
            Figure.of("saving", "Saving, of the time between failures", save / (every + save), "fraction"),
            Figure.of("lost_per_failure", "Lost a failure: restart and half an interval", restart + every / 2, "s"),
        ),
        formula=(
            f"{show(every, 's')} of work in {show(wall, 's')} of wall time = {rounded(100 * goodput)} %; "
            f"a failure every {show(between, 's')}"
        ),
        latex=(
            rf"\frac{{{latex(every)}}}{{{latex(between)} \cdot e^{{{restart / between:.4f}}}"
            rf" \cdot (e^{{{(every + save) / between:.4f}}} - 1)}} = {goodput:.4f}"
        ),
        establishes="What failures at this rate leave of the wall time, at this interval, if they come at random.",
        to_measure=(
            "The failure rate of this cluster, the time that a save really holds steps up, and the time from a failure "
            "to the next useful step: the last is mostly noticing and starting, and it is the one that teams can lower."
        ),
        convention=(
            "Failures are independent and hit saves and restarts as well. Steps since the last save count as lost. "
            "Enter the result as goodput once; do not lower the utilisation for it again."
        ),
    )


CALCULATOR = Calculator(
    "goodput",
    "Goodput of a run that fails",
    "The share of wall time that counts, by failures, saves and restarts, and how often to save.",
    FIELDS,
    compute,
)
