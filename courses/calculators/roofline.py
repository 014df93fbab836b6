"""The roofline: whether arithmetic or memory traffic bounds an operation. Williams, Waterman and Patterson 2009."""

from __future__ import annotations

from courses.calculators.contract import Calculator, Field, Figure, InputError, Result
from courses.calculators.hardware import CHOICES, DENSE_PEAK_FLOPS, MEMORY_BYTES_PER_S
from courses.calculators.units import latex, rounded, show

FIELDS = (
    Field(
        "operation",
        "Operation",
        "",
        "matmul",
        "choice",
        choices=(
            ("matmul", "A product, m × k times k × n"),
            ("decode", "One decode step of a whole model"),
            ("given", "FLOPs and bytes as given"),
        ),
    ),
    Field("m", "Rows m", "", 4096, "int", min=1, max=1_000_000_000, help="Tokens, for a linear layer."),
    Field("k", "Inner size k", "", 4096, "int", min=1, max=1_000_000_000),
    Field("n", "Columns n", "", 4096, "int", min=1, max=1_000_000_000),
    Field(
        "parameters",
        "Parameters read in a step",
        "parameters",
        "8B",
        "quantity",
        min=1,
        max=1e15,
        help="Decode only. Without the input embedding, of which a step reads a row; for experts, those it touches.",
    ),
    Field("batch", "Sequences in the batch", "sequences", 1, "int", min=1, max=10_000_000, help="Decode only."),
    Field(
        "cache_bytes",
        "KV cache of one sequence",
        "GiB",
        0,
        "quantity",
        min=0,
        max=1e9,
        help="Decode only: read whole for each new token.",
    ),
    Field(
        "element_bytes",
        "Bytes per element",
        "",
        "2",
        "choice",
        choices=(("2", "2: bf16, fp16"), ("1", "1: fp8, int8"), ("4", "4: fp32")),
    ),
    Field("flops", "FLOPs", "FLOP", 1e12, "quantity", min=0, max=1e36, help="For “as given”."),
    Field("moved", "Bytes moved", "GB", 1, "quantity", min=1e-9, max=1e18, help="For “as given”."),
    Field("device", "Device (dense 16-bit peak)", "", "H100-SXM", "choice", choices=CHOICES),
    Field("peak", "Peak of another device or format", "TFLOP/s", None, "quantity", min=0.001, max=1e6),
    Field("bandwidth", "Memory rate of another device", "TB/s", None, "quantity", min=1e-6, max=1e6),
)


def compute(
    *,
    operation: str,
    m: int,
    k: int,
    n: int,
    parameters: float,
    batch: int,
    cache_bytes: float,
    element_bytes: str,
    flops: float,
    moved: float,
    device: str,
    peak: float | None,
    bandwidth: float | None,
) -> Result:
    """Return intensity, ridge point and the two lower bounds on time, in FLOP, bytes and seconds. Raises InputError."""
    size = int(element_bytes)
    peak_rate = peak if peak is not None else DENSE_PEAK_FLOPS[device]
    rate = bandwidth if bandwidth is not None else MEMORY_BYTES_PER_S[device]
    work, traffic = flops, moved
    if operation == "matmul":
        work, traffic = 2.0 * m * k * n, float(size) * (m * k + k * n + m * n)
    elif operation == "decode":
        work, traffic = 2.0 * parameters * batch, size * parameters + batch * cache_bytes
    if not work:
        raise InputError({"flops": "Nothing is computed: give the operation some FLOPs."})
    by_compute, by_memory = work / peak_rate, traffic / rate
    seconds = max(by_compute, by_memory)
    bound = "memory" if by_memory > by_compute else "arithmetic"
    intensity, ridge = work / traffic, peak_rate / rate
    return Result(
        figures=(
            Figure.of("seconds", "At least", seconds, "s"),
            Figure.of("intensity", "Intensity", intensity, "FLOP/byte"),
            Figure.of("ridge", "The device's ridge point", ridge, "FLOP/byte"),
            Figure.of("compute_seconds", "Arithmetic alone", by_compute, "s"),
            Figure.of("memory_seconds", "Memory traffic alone", by_memory, "s"),
            Figure.of("attainable", "Rate at best", work / seconds, "FLOP/s"),
            Figure.of("attainable_share", "Of the peak, at best", work / seconds / peak_rate, "fraction"),
            Figure.of("flops", "Work", work, "FLOP"),
            Figure.of("moved", "Traffic", traffic, "bytes"),
            *(
                [Figure.of("tokens_per_second", "Tokens a second, at most", batch / seconds, "tokens/s")]
                if operation == "decode"
                else []
            ),
        ),
        formula=(
            f"{rounded(work)} FLOP / {rounded(traffic)} bytes = {rounded(intensity)} FLOP/byte, "
            f"{'below' if intensity < ridge else 'above'} the ridge at {show(peak_rate, 'FLOP/s')} / "
            f"{show(rate, 'bytes/s')} = {rounded(ridge)}: {bound} bounds it, at {show(seconds, 's')}"
        ),
        latex=(
            rf"\max\left(\frac{{{latex(work)}}}{{{latex(peak_rate)}}},"
            rf" \frac{{{latex(traffic)}}}{{{latex(rate)}}}\right) = {seconds * 1000:.4g}\ \text{{ms}}"
        ),
        establishes=(
            f"A lower bound on the time, and that {bound} makes it. No kernel on this device is faster, if it must "
            "move these bytes and do this arithmetic."
        ),
        to_measure=(
            "How near a kernel comes: tile sizes that do not divide, launch gaps, power limits, memory rate below the "
            "data sheet's. Traffic is higher where a cache cannot hold what is used twice."
        ),
        convention=(
            "Each operand is read once and each result written once, from device memory; a multiply and an add are two "
            "FLOPs. The memory rate is the data sheet's."
            + (" Decode counts 2 FLOPs a parameter, attention's own left out." if operation == "decode" else "")
        ),
    )


CALCULATOR = Calculator(
    "roofline",
    "Roofline",
    "Whether arithmetic or memory traffic bounds a product or a decode step, and the least time it takes.",
    FIELDS,
    compute,
)
