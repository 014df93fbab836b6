"""Attention of one decode step: its FLOPs against the cache bytes it reads, by kind of cache.

Grouped heads: Shazeer 2019 (arXiv 1911.02150), Ainslie et al. 2023 (arXiv 2305.13245). Latent: DeepSeek-AI 2024
(arXiv 2405.04434, section 2.1). Per layer, query position and cached token, with multiply and add as two FLOPs:

    grouped    4·H·d                                    scores and mix
    absorbed   2·H·(c + r) + 2·H·c                      both against the latent itself
    expanded   2·H·(d + r) + 2·H·d, and 4·c·H·d once    keys and values are made again from every latent, each step
"""

from __future__ import annotations

from courses.calculators.contract import Calculator, Field, Figure, InputError, Result
from courses.calculators.hardware import CHOICES, DENSE_PEAK_FLOPS, MEMORY_BYTES_PER_S
from courses.calculators.units import exact, latex, rounded, show

FIELDS = (
    Field(
        "kind",
        "Kind",
        "",
        "grouped",
        "choice",
        choices=(
            ("grouped", "Keys and values per head (multi-head, grouped, multi-query)"),
            ("absorbed", "Latent, projections absorbed into query and output"),
            ("expanded", "Latent, keys and values expanded in every step"),
        ),
    ),
    Field("layers", "Layers L", "layers", 32, "int", min=1, max=100_000),
    Field("heads", "Query heads H", "heads", 32, "int", min=1, max=100_000),
    Field("kv_heads", "KV heads", "heads", 8, "int", min=1, max=100_000, help="Not used by a latent."),
    Field(
        "head_dim", "Head dimension d", "", 128, "int", min=1, max=100_000, help="Of a latent: the part without rope."
    ),
    Field("latent", "Latent width c", "", 512, "int", min=1, max=1_000_000, help="Latent only."),
    Field("rope", "Positional key width r", "", 64, "int", min=0, max=1_000_000, help="Latent only."),
    Field(
        "element_bytes",
        "Bytes per element",
        "",
        "2",
        "choice",
        choices=(("2", "2: bf16, fp16"), ("1", "1: fp8, int8"), ("4", "4: fp32")),
    ),
    Field("tokens", "Tokens in the cache", "tokens", 8192, "int", min=1, max=1_000_000_000),
    Field("batch", "Sequences", "sequences", 1, "int", min=1, max=10_000_000),
    Field(
        "positions",
        "New positions a sequence",
        "tokens",
        1,
        "int",
        min=1,
        max=100_000,
        help="More when guesses are checked.",
    ),
    Field("device", "Device (dense 16-bit peak)", "", "H100-SXM", "choice", choices=CHOICES),
)


def compute(
    *,
    kind: str,
    layers: int,
    heads: int,
    kv_heads: int,
    head_dim: int,
    latent: int,
    rope: int,
    element_bytes: str,
    tokens: int,
    batch: int,
    positions: int,
    device: str,
) -> Result:
    """Return FLOPs, bytes, their ratio and the two lower bounds in seconds. Raises InputError."""
    if kind == "grouped" and heads % kv_heads:
        raise InputError({"kv_heads": f"{heads} query heads do not divide over {kv_heads} KV heads."})
    elements = 2 * kv_heads * head_dim if kind == "grouped" else latent + rope
    if kind == "grouped":
        each, once = 4 * heads * head_dim, 0
    elif kind == "absorbed":
        each, once = 2 * heads * (latent + rope) + 2 * heads * latent, 0
    else:
        each, once = 2 * heads * (head_dim + rope) + 2 * heads * head_dim, 4 * latent * heads * head_dim
    rows = layers * tokens * batch
    work, traffic = (positions * each + once) * rows, elements * int(element_bytes) * rows
    peak, rate = DENSE_PEAK_FLOPS[device], MEMORY_BYTES_PER_S[device]
    by_compute, by_memory = work / peak, traffic / rate
    intensity, ridge = work / traffic, peak / rate
    bound = "memory" if by_memory > by_compute else "arithmetic"
    return Result(
        figures=(
            Figure.of("intensity", "Intensity", intensity, "FLOP/byte"),
            Figure.of("ridge", "The device's ridge point", ridge, "FLOP/byte"),
            Figure.of("flops", "Work of a step", work, "FLOP"),
            Figure.of("moved", "Cache read in a step", traffic, "bytes"),
            Figure.of("row_flops", "Work per layer and cached token", positions * each + once, "FLOP"),
            Figure.of("row_bytes", "Cache per layer and token", elements * int(element_bytes), "bytes"),
            Figure.of("seconds", "At least", max(by_compute, by_memory), "s"),
            Figure.of("compute_seconds", "Arithmetic alone", by_compute, "s"),
            Figure.of("memory_seconds", "Cache traffic alone", by_memory, "s"),
            Figure.of("equal_kv_heads", "As many elements as so many KV heads", elements / (2 * head_dim), "heads"),
        ),
        formula=(
            f"{exact(positions * each + once)} FLOP / {exact(elements * int(element_bytes))} bytes per layer and "
            f"cached token = {rounded(intensity)} FLOP/byte, against a ridge of {rounded(ridge)}: {bound} bounds it, "
            f"at {show(max(by_compute, by_memory), 's')}"
        ),
        latex=(
            rf"\frac{{{latex(positions * each + once)}}}{{{latex(elements * int(element_bytes))}}}"
            rf" = {intensity:.4g}\ \text{{FLOP/byte}}"
        ),
        establishes=(
            f"Which of the two bounds attention in a decode step: {bound}. Batch and length leave the ratio as it is; "
            "heads per cached element, and positions per step, change it."
        ),
        to_measure=(
            "How near the kernel comes to either bound, what softmax and the projections around it add, and the rest "
            "of the step: reading the weights."
        ),
        convention=(
            "The cache is read once for all heads and positions; multiply and add are two FLOPs; softmax, projections "
            "of query and output, and the weights are left out. The data sheet's memory rate."
        ),
    )


CALCULATOR = Calculator(
    "decode-attention",
    "Attention of a decode step",
    "FLOPs, cache bytes and their ratio for grouped heads and for a latent, absorbed or expanded.",
    FIELDS,
    compute,
)
