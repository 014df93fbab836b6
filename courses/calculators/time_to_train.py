"""Time to train: days, GPU-hours and devices for a deadline, from parameters, tokens and an achieved rate."""

from __future__ import annotations

import math

from courses.calculators.contract import Calculator, Field, Figure, InputError, Result
from courses.calculators.hardware import CHOICES, DENSE_PEAK_FLOPS
from courses.calculators.units import exact, latex, rounded, show

SECONDS_A_DAY = 86400
MOST_DEVICES = 10_000_000

FIELDS = (
    Field(
        "parameters",
        "Parameters",
        "parameters",
        "70B",
        "quantity",
        min=1,
        max=1e15,
        help="Those that a token passes through: for a mixture of experts the active ones, not all.",
    ),
    Field("tokens", "Tokens", "tokens", "15T", "quantity", min=1, max=1e17, help="Every pass over the data counts."),
    Field(
        "convention",
        "FLOPs per parameter and token",
        "",
        "6",
        "choice",
        choices=(("6", "6: forward 2, backward 4"), ("8", "8: with every layer computed a second time")),
        help="6 goes with a rate of model FLOPs (MFU), 8 with a rate that counts recomputed work too (HFU).",
    ),
    Field(
        "total_flops",
        "Total work, if you know it",
        "FLOP",
        None,
        "quantity",
        min=1,
        max=1e36,
        help="Replaces parameters × tokens × 6 or 8: from a longer formula, or from a paper.",
    ),
    Field("devices", "Devices", "devices", 1024, "int", min=1, max=MOST_DEVICES),
    Field("device", "Device (dense 16-bit peak)", "", "H100-SXM", "choice", choices=CHOICES),
    Field(
        "peak",
        "Peak of another device",
        "TFLOP/s",
        None,
        "quantity",
        min=0.001,
        max=1e6,
        help="Dense, for the number format you train in. Replaces the device's.",
    ),
    Field(
        "utilisation",
        "Utilisation of that peak",
        "fraction",
        0.40,
        "quantity",
        min=0.0001,
        max=1,
        help="MFU with 6, HFU with 8. From a measured run on the same model, device count and network.",
    ),
    Field(
        "achieved",
        "Achieved rate per device, if you know it",
        "TFLOP/s",
        None,
        "quantity",
        min=0.001,
        max=1e6,
        help="Replaces peak × utilisation.",
    ),
    Field(
        "goodput",
        "Goodput",
        "fraction",
        1,
        "quantity",
        min=0.01,
        max=1,
        help="The share of wall time spent on steps that count: not failures, restarts, lost steps, saving.",
    ),
    Field("deadline", "Deadline", "days", 90, "quantity", min=0.01, max=36500),
)


def compute(
    *,
    parameters: float,
    tokens: float,
    convention: str,
    total_flops: float | None,
    devices: int,
    device: str,
    peak: float | None,
    utilisation: float,
    achieved: float | None,
    goodput: float,
    deadline: float,
) -> Result:
    """days = total FLOPs / (devices × achieved rate × goodput) / 86,400. Raises InputError."""
    factor = int(convention)
    total = total_flops if total_flops is not None else factor * parameters * tokens
    peak_rate = peak if peak is not None else DENSE_PEAK_FLOPS[device]
    rate = achieved if achieved is not None else peak_rate * utilisation
    if rate > peak_rate:
        raise InputError(
            {
                "achieved": f"{show(rate, 'FLOP/s')} is above this device's dense peak, {show(peak_rate, 'FLOP/s')}: "
                "check the device, and that the rate is per device and without sparsity."
            }
        )
    seconds = total / (devices * rate * goodput)
    device_seconds = total / (rate * goodput)
    needed = math.ceil(device_seconds / deadline)
    if needed > MOST_DEVICES:
        raise InputError(
            {"deadline": f"That would take {rounded(needed)} devices, more than exist: allow more days or less work."}
        )
    work = f"{rounded(total)} FLOP"
    if total_flops is None:
        work = f"{factor} · {rounded(parameters)} · {rounded(tokens)} FLOP"
    speed = f"{exact(devices)} · {show(rate, 'FLOP/s')}" + (f" · {rounded(goodput)}" if goodput != 1 else "")
    # The devices' tokens a second while a step runs: goodput is about the days, not about the step.
    per_token = total / tokens if total_flops is not None else factor * parameters
    return Result(
        figures=(
            Figure.of("seconds", "Time to train", seconds, "s"),
            Figure.of("device_hours", "Device-hours", device_seconds / 3600, "device-hours"),
            Figure.of("devices_for_deadline", "Devices for the deadline", needed, "devices"),
            Figure.of("total_flops", "Total work", total, "FLOP"),
            Figure.of("rate_per_device", "Achieved rate per device", rate, "FLOP/s"),
            Figure.of("utilisation", "Share of the dense peak", rate / peak_rate, "fraction"),
            Figure.of("tokens_per_second", "Tokens per second, all devices", devices * rate / per_token, "tokens/s"),
        ),
        formula=f"{work} / ({speed}) / 86,400 s/day = {rounded(seconds / SECONDS_A_DAY)} days",
        latex=(
            rf"\frac{{{latex(total)}}}{{{devices} \times {latex(rate)} \times {rounded(goodput)} \times 86400}}"
            rf" = {rounded(seconds / SECONDS_A_DAY)}\ \text{{days}}"
        ),
        establishes=(
            "What the work, the device count and an assumed rate imply together. Change one and the rest follows "
            "exactly; the device-hours do not depend on the device count as long as the rate holds."
        ),
        to_measure=(
            "The rate per device at this device count (it falls as communication and pipeline bubbles grow), and the "
            "goodput of a run this long: count failures, restarts and lost steps once, in one of the two, not in both."
        ),
        convention=_convention(factor, total_flops is not None),
    )


def _convention(factor: int, given: bool) -> str:
    if given:
        return "Total work as given. The rate must count the same work: model FLOPs for MFU, recomputed too for HFU."
    if factor == 6:
        return (
            "6 FLOPs per parameter and token, attention's own term left out; recomputation is not counted, so the rate "
            "is a rate of model FLOPs (MFU), which recomputation has already lowered."
        )
    return (
        "8 FLOPs per parameter and token: one more forward of every layer is counted as work, so the rate must count "
        "it too (HFU). An MFU beside an 8 would charge the recomputation twice."
    )


CALCULATOR = Calculator(
    "time-to-train",
    "GPUs and time to train",
    "Days, GPU-hours and the devices a deadline needs, from parameters, tokens and an achieved rate.",
    FIELDS,
    compute,
)
