"""How many requests fit in a paged key/value cache, as block-based serving engines account for it.

Kwon et al. 2023, Efficient Memory Management for Large Language Model Serving with PagedAttention, arXiv 2309.06180.
"""

from __future__ import annotations

from courses.calculators.contract import Calculator, Field, Figure, InputError, Result
from courses.calculators.units import exact, rounded

FIELDS = (
    Field(
        "kind",
        "Kind",
        "",
        "grouped",
        "choice",
        choices=(
            ("grouped", "Keys and values per head (multi-head, grouped, multi-query)"),
            ("latent", "One latent per token (MLA)"),
        ),
    ),
    Field("layers", "Layers", "layers", 32, "int", min=1, max=100_000),
    Field("kv_heads", "KV heads", "heads", 8, "int", min=1, max=100_000, help="Not the query heads."),
    Field("head_dim", "Head dimension", "", 128, "int", min=1, max=100_000),
    Field("latent", "Latent width", "", 512, "int", min=1, max=1_000_000, help="Latent only."),
    Field(
        "rope", "Positional key width", "", 64, "int", min=0, max=1_000_000, help="Latent only: shared by all heads."
    ),
    Field(
        "element_bytes",
        "Bytes per element",
        "",
        "2",
        "choice",
        choices=(("2", "2: bf16, fp16"), ("1", "1: fp8, int8"), ("4", "4: fp32")),
    ),
    Field("tensor_parallel", "Tensor parallel", "devices", 1, "int", min=1, max=4096),
    Field("block_tokens", "Tokens a block", "tokens", 16, "int", min=1, max=1_000_000),
    Field("memory", "Memory of a device", "GB", 80, "quantity", min=0.001, max=1e6),
    Field("share", "Share of it that the engine may use", "fraction", 0.9, "quantity", min=0.01, max=1),
    Field("weights", "Weights on a device", "GB", 16.06, "quantity", min=0, max=1e6),
    Field("other", "Activations and the rest", "GB", 2, "quantity", min=0, max=1e6, help="From a profiled forward."),
    Field(
        "available",
        "Left for the cache, if you know it",
        "GiB",
        None,
        "quantity",
        min=0,
        max=1e6,
        help="Replaces memory × share less weights and the rest.",
    ),
    Field(
        "blocks", "Blocks, if the engine printed them", "blocks", None, "int", min=1, max=10**12, help="Replaces both."
    ),
    Field("request_tokens", "Tokens of a request at its longest", "tokens", 8192, "int", min=1, max=1_000_000_000),
)


def compute(
    *,
    kind: str,
    layers: int,
    kv_heads: int,
    head_dim: int,
    latent: int,
    rope: int,
    element_bytes: str,
    tensor_parallel: int,
    block_tokens: int,
    memory: float,
    share: float,
    weights: float,
    other: float,
    available: float | None,
    blocks: int | None,
    request_tokens: int,
) -> Result:
    """blocks = left // page // layers; concurrency = blocks / ceil(request / block). Raises InputError."""
    heads = max(1, -(-kv_heads // tensor_parallel))
    # a latent is needed whole by every head, so each rank keeps all of it
    page = block_tokens * (2 * heads * head_dim if kind == "grouped" else latent + rope) * int(element_bytes)
    left = available if available is not None else memory * share - weights - other
    if blocks is None and left <= 0:
        raise InputError(
            {"memory": f"Nothing is left: {rounded(memory * share / 1e9)} GB less weights and the rest is below zero."}
        )
    count = blocks if blocks is not None else int(left // page // layers)
    if count < 1:
        raise InputError({"available": "Not one block fits in what is left: free memory, or make the block smaller."})
    needed = -(-request_tokens // block_tokens)
    whole = count * page * layers
    return Result(
        figures=(
            Figure.of("concurrency", "Requests of this length at once", count / needed, "requests"),
            Figure.of("sequences", "Whole requests at once", count // needed, "requests"),
            Figure.of("blocks", "Blocks", count, "blocks"),
            Figure.of("tokens", "Tokens that fit", count * block_tokens, "tokens"),
            Figure.of("blocks_per_request", "Blocks a request needs", needed, "blocks"),
            Figure.of("cache_bytes", "The cache, on a device", whole, "bytes"),
            Figure.of("block_bytes", "One block over all layers", page * layers, "bytes"),
            Figure.of("wasted", "Unused in a request's last block", needed * block_tokens - request_tokens, "tokens"),
        ),
        formula=(
            f"{exact(count)} blocks / ⌈{exact(request_tokens)} / {exact(block_tokens)}⌉ = "
            f"{exact(count)} / {exact(needed)} = {rounded(count / needed)} requests"
        ),
        latex=(
            rf"\frac{{{count}}}{{\left\lceil {request_tokens} / {block_tokens} \right\rceil}}"
            rf" = \frac{{{count}}}{{{needed}}} = {rounded(count / needed)}"
        ),
        establishes=(
            "How many requests of this length the blocks hold at once. Below 1, not even one request of the full "
            "length can finish."
        ),
        to_measure=(
            "How long requests are (most are shorter, so more fit), how many share a prefix, what the forward's "
            "activations take at the engine's token budget, and the latency at that many requests."
        ),
        convention=(
            "Each layer has its own block of keys and values; a request holds whole blocks. "
            + (
                "Ranks keep whole KV heads, at least one. "
                if kind == "grouped"
                else "Each rank keeps the whole latent. "
            )
            + "GB is 1e9 bytes, GiB 2³⁰."
        ),
    )


CALCULATOR = Calculator(
    "paged-cache",
    "Concurrency of a paged KV cache",
    "Blocks, tokens and requests that fit beside the weights.",
    FIELDS,
    compute,
)
