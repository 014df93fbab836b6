"""What checkpointing a chain of equal blocks keeps at its peak and what it computes twice, by number of segments.

The sublinear schedule of Chen et al. 2016 ("Training Deep Nets with Sublinear Memory Cost", arXiv 1604.06174), with the
two corrections that a measurement shows: the blocks of the segment in hand are held whole, and a last segment that is
not checkpointed is not computed twice.
"""

from __future__ import annotations

import math

from courses.calculators.contract import Calculator, Field, Figure, InputError, Result
from courses.calculators.units import exact, latex, rounded

FIELDS = (
    Field("blocks", "Equal blocks n", "blocks", 16, "int", min=1, max=100_000),
    Field(
        "block_bytes",
        "A block keeps, run plain",
        "MiB",
        10,
        "quantity",
        min=0,
        max=1e9,
        help="Everything that backward of one block reads, its input included.",
    ),
    Field("boundary_bytes", "A block's input alone", "MiB", 1, "quantity", min=0, max=1e9),
    Field(
        "segments",
        "Segments k",
        "segments",
        None,
        "int",
        min=1,
        max=100_000,
        help="Empty: the number with the lowest peak.",
    ),
    Field(
        "last",
        "The last segment",
        "",
        "checkpointed",
        "choice",
        choices=(("checkpointed", "Checkpointed like the others"), ("plain", "Run plain: backward needs it at once")),
    ),
    Field(
        "skipped",
        "Share of a segment's forward that early stop skips",
        "fraction",
        0,
        "quantity",
        min=0,
        max=1,
        help="What comes after the segment's last saved tensor is not replayed.",
    ),
    Field("backward_ratio", "Backward costs, in forwards", "", 2, "float", min=0.1, max=10),
)


def peak_bytes(blocks: int, block: float, boundary: float, segments: int) -> float:
    """Return the most bytes held at once: a segment whole as its backward begins, and the inputs before it.

    Segments are as equal as they come, longer ones first: the peak is at the last longer one or at the last of all.
    """
    base, longer = divmod(blocks, segments)
    last = (segments - 1) * boundary + base * block
    return max(last, (longer - 1) * boundary + (base + 1) * block) if longer else last


def best_segments(blocks: int, block: float, boundary: float) -> int:
    """Return the number of segments with the lowest peak; among several one that divides evenly, then the smallest."""
    # The minimum is near sqrt(n·block/boundary); sizes change in steps, so look at every count up to a safe bound.
    around = blocks if not boundary else min(blocks, 4 * math.isqrt(math.ceil(blocks * block / boundary)) + 4)

    def order(count: int) -> tuple[float, bool, int]:
        return peak_bytes(blocks, block, boundary, count), blocks % count > 0, count

    return min(range(1, around + 1), key=order)


def compute(
    *,
    blocks: int,
    block_bytes: float,
    boundary_bytes: float,
    segments: int | None,
    last: str,
    skipped: float,
    backward_ratio: float,
) -> Result:
    """Return peak bytes and the work done twice. Raises InputError."""
    if boundary_bytes > block_bytes:
        raise InputError({"boundary_bytes": "A block keeps at least its input: this cannot exceed what a block keeps."})
    if segments is not None and segments > blocks:
        raise InputError({"segments": f"There are only {blocks} blocks: at most {blocks} segments."})
    count = segments if segments is not None else best_segments(blocks, block_bytes, boundary_bytes)
    longest, shortest = -(-blocks // count), blocks // count
    peak = peak_bytes(blocks, block_bytes, boundary_bytes, count)
    plain = blocks * block_bytes
    replayed = (blocks - shortest if last == "plain" else blocks) / blocks * (1 - skipped)
    saved = (count - 1) * boundary_bytes + (shortest * block_bytes if last == "plain" else boundary_bytes)
    percent = rounded(100 * replayed / (1 + backward_ratio))
    return Result(
        figures=(
            Figure.of("segments", "Segments", count, "segments"),
            Figure.of("peak_bytes", "Peak of what is kept", _whole(peak), "bytes"),
            Figure.of("plain_bytes", "Without checkpointing", _whole(plain), "bytes"),
            Figure.of("saved_bytes", "Kept at the end of forward", _whole(saved), "bytes"),
            Figure.of("peak_share", "Peak, of the plain run's", peak / plain if plain else 1.0, "fraction"),
            Figure.of("extra_forward", "Computed twice, of one forward", replayed, "fraction"),
            Figure.of("extra_step", "More work in the whole step", replayed / (1 + backward_ratio), "fraction"),
        ),
        formula=(
            f"{exact(longest)} · {exact(_whole(block_bytes))} bytes, and up to {exact(count - 1)} inputs of "
            f"{exact(_whole(boundary_bytes))} bytes: {rounded(peak)} bytes. Replayed: {rounded(100 * replayed)} % of a "
            f"forward / (1 + {rounded(backward_ratio)}) = {percent} % of the step"
        ),
        latex=(
            rf"\max_i\left((i-1) \cdot {latex(boundary_bytes)} + n_i \cdot {latex(block_bytes)}\right)"
            rf" = {latex(peak)}\ \text{{bytes}}"
        ),
        establishes=(
            "What a chain of equal blocks must hold at once under this cut, and how much of forward is repeated."
        ),
        to_measure=(
            "What your block keeps and what its input takes; gradients and temporaries at that moment; what comes "
            "after the blocks (logits, loss); the seconds: "
            "they follow FLOPs only where compute limits."
        ),
        convention=f"A block counts its own input. Backward costs {rounded(backward_ratio)} forwards.",
    )


def _whole(value: float) -> float:
    return int(value) if value == int(value) else value


CALCULATOR = Calculator(
    "checkpoint-tradeoff",
    "Checkpointing: bytes against work",
    "Peak bytes and recomputed work of a chain of blocks, by number of segments.",
    FIELDS,
    compute,
)
