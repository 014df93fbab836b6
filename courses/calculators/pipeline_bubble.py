"""Pipeline parallelism: bubble, micro-batches in flight on a stage, and what crosses a stage's edge.

GPipe (Huang et al. 2019), 1F1B and its interleaved form (Narayanan et al. 2021, arXiv 2104.04473): with p stages, m
micro-batches and v chunks of layers a device, devices idle for (p - 1)/(v·m) of the ideal time. In flight, in chunks on
rank r (from 0): m for GPipe, p - r for 1F1B, and 2(p - r - 1) + (v - 1)p + 1 interleaved, which on the first rank is
Korthikanti et al.'s p·(1 + (p - 1)/(p·v)) stages' worth (2022, arXiv 2205.05198). The tests walk the schedules.
"""

from __future__ import annotations

import math

from courses.calculators.contract import Calculator, Field, Figure, InputError, Result
from courses.calculators.units import exact, latex, rounded, show

FIELDS = (
    Field("stages", "Stages p", "stages", 8, "int", min=1, max=4096),
    Field("microbatches", "Micro-batches a step m", "micro-batches", 32, "int", min=1, max=10_000_000),
    Field(
        "schedule",
        "Schedule",
        "",
        "1f1b",
        "choice",
        choices=(
            ("gpipe", "GPipe: all forwards, then all backwards"),
            ("1f1b", "1F1B: one forward, one backward"),
            ("interleaved", "Interleaved 1F1B: several chunks of layers a device"),
        ),
    ),
    Field("chunks", "Chunks of layers a device v", "chunks", 2, "int", min=1, max=1024, help="Interleaved only."),
    Field("forward", "Forward of a micro-batch on one stage", "ms", 20, "quantity", min=1e-6, max=1e9),
    Field("backward_ratio", "Backward costs, in forwards", "", 2, "float", min=0.1, max=10, help="3 with full replay."),
    Field("stage", "Look at stage", "", 1, "int", min=1, max=4096, help="1 takes the input; the last makes the loss."),
    Field("stage_bytes", "A stage keeps for one micro-batch", "GiB", 1, "quantity", min=0, max=1e9),
    Field("tokens", "Tokens of a micro-batch", "tokens", 8192, "quantity", min=1, max=1e12),
    Field("hidden", "Width h", "", 8192, "int", min=1, max=1_000_000),
    Field("element_bytes", "Bytes per element", "", "2", "choice", choices=(("2", "2: bf16, fp16"), ("4", "4: fp32"))),
    Field("bandwidth", "Between two stages", "GB/s", 50, "quantity", min=1e-6, max=1e6, help="One direction."),
    Field("target", "Idle share to stay under", "fraction", 0.1, "quantity", min=0.0001, max=0.99),
)


def in_flight(stages: int, microbatches: int, schedule: str, chunks: int, stage: int) -> float:
    """Return the most micro-batches that a stage (from 1) holds at once, in whole stages' worth of activations."""
    if schedule == "gpipe":
        return microbatches
    after = stages - stage
    if schedule == "1f1b":
        return min(microbatches, after + 1)
    return min(chunks * microbatches, 2 * after + (chunks - 1) * stages + 1) / chunks


def compute(
    *,
    stages: int,
    microbatches: int,
    schedule: str,
    chunks: int,
    forward: float,
    backward_ratio: float,
    stage: int,
    stage_bytes: float,
    tokens: float,
    hidden: int,
    element_bytes: str,
    bandwidth: float,
    target: float,
) -> Result:
    """Return bubble, memory and traffic of equal stages, in fractions, seconds and bytes. Raises InputError."""
    p, m = stages, microbatches
    v = chunks if schedule == "interleaved" else 1
    if stage > p:
        raise InputError({"stage": f"There are only {p} stages."})
    if schedule == "interleaved" and m % p:
        raise InputError({"microbatches": f"The interleaved schedule goes round in groups of {p}: take a multiple."})
    each = forward * (1 + backward_ratio)
    ideal, idle = m * each, (p - 1) / v * each
    of_ideal, of_total = idle / ideal, idle / (ideal + idle)
    held = in_flight(p, m, schedule, v, stage)
    message = tokens * hidden * int(element_bytes)
    # Forward to the next and backward to the one before, once a chunk. The pipeline's two ends have an edge less.
    sent = m * (2 * v - (stage == p) - (stage == 1)) * message if p > 1 else 0
    needed = max(1, math.ceil((p - 1) * (1 - target) / (v * target) - 1e-9))
    needed = p * math.ceil(needed / p) if schedule == "interleaved" else needed
    below = exact(m) if v == 1 else f"({v} · {exact(m)})"
    return Result(
        figures=(
            Figure.of("bubble_of_total", "Idle, of the step", of_total, "fraction"),
            Figure.of("bubble_of_ideal", "Idle, of the ideal time", of_ideal, "fraction"),
            Figure.of("step_seconds", "Step", ideal + idle, "s"),
            Figure.of("idle_seconds", "Each device idles for", idle, "s"),
            Figure.of("in_flight", f"In flight on stage {stage}, at most", held, "micro-batches"),
            Figure.of("in_flight_bytes", f"Activations that stage {stage} keeps", _whole(held * stage_bytes), "bytes"),
            Figure.of("message_bytes", "One message between stages", _whole(message), "bytes"),
            Figure.of("message_seconds", "Its time on the link", message / bandwidth, "s"),
            Figure.of("sent_bytes", f"Stage {stage} sends a step", _whole(sent), "bytes"),
            Figure.of(
                "message_share", "Message, of a chunk's forward", message / bandwidth / (forward / v), "fraction"
            ),
            Figure.of("microbatches_for_target", f"For {rounded(100 * target)} % idle", needed, "micro-batches"),
        ),
        formula=(
            f"({p} - 1) / {below} = {rounded(100 * of_ideal)} % of the ideal {show(ideal, 's')}, "
            f"{rounded(100 * of_total)} % of the step of {show(ideal + idle, 's')}"
        ),
        latex=rf"\frac{{{p} - 1}}{{{latex(v)} \cdot {latex(m)} + {p} - 1}} = {of_total:.4f}",
        establishes=(
            "The idle time that the schedule itself makes, if stages are equal and messages take no time, and the "
            "most activations a stage must hold."
        ),
        to_measure=(
            "The time of the slowest stage (embedding, logits and loss are on two of them), messages that are waited "
            "for, and the memory of what is not a layer. A step goes at the pace of its slowest stage."
        ),
        convention=(
            "Idle time is given over the ideal time (Narayanan et al.) and over the whole step (GPipe): the same "
            "seconds. In flight counts micro-batches whose forward has begun here and whose backward has not ended. "
            "Messages are whole; splitting them over tensor-parallel ranks divides them."
        ),
    )


def _whole(value: float) -> float:
    return int(value) if value == int(value) else value


CALCULATOR = Calculator(
    "pipeline-bubble",
    "Pipeline bubble",
    "Idle share, activations in flight and messages of a pipeline: GPipe, 1F1B, interleaved.",
    FIELDS,
    compute,
)
