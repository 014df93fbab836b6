"""Bytes of a key/value cache: grouped-query, multi-query, latent (MLA), sliding windows, and few bits with scales."""

from __future__ import annotations

from courses.calculators.contract import Calculator, Field, Figure, InputError, Result
from courses.calculators.units import exact

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
    Field("head_dim", "Head dimension", "", 128, "int", min=1, max=100_000, help="Not always width / heads."),
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
        choices=(("2", "2: bf16, fp16"), ("1", "1: fp8, int8"), ("0.5", "0.5: int4"), ("4", "4: fp32")),
    ),
    Field(
        "scale_group",
        "Elements that share a scale",
        "elements",
        None,
        "int",
        min=1,
        max=1_000_000_000,
        help="Empty: no scales are kept beside the elements.",
    ),
    Field("scale_bytes", "Bytes of a scale", "", 2, "int", min=1, max=64, help="4 with a zero point, both in 16 bits."),
    Field("tokens", "Tokens a sequence", "tokens", 8192, "int", min=1, max=1_000_000_000),
    Field("batch", "Sequences", "sequences", 1, "int", min=1, max=10_000_000),
    Field("window", "Sliding window", "tokens", None, "int", min=1, max=1_000_000_000, help="Empty: no window."),
    Field(
        "windowed_layers",
        "Layers with the window",
        "layers",
        None,
        "int",
        min=0,
        max=100_000,
        help="Empty: all of them.",
    ),
    Field("tensor_parallel", "Tensor parallel", "devices", 1, "int", min=1, max=4096),
)


def row_bytes(elements: int, element_bytes: str, scale_group: int | None, scale_bytes: int) -> int:
    """Return the bytes of a token's elements in one layer, rounded up to a byte, with their scales."""
    scales = -(-elements // scale_group) * scale_bytes if scale_group else 0
    return -(-elements * int(float(element_bytes) * 8) // 8) + scales


def compute(
    *,
    kind: str,
    layers: int,
    kv_heads: int,
    head_dim: int,
    latent: int,
    rope: int,
    element_bytes: str,
    scale_group: int | None,
    scale_bytes: int,
    tokens: int,
    batch: int,
    window: int | None,
    windowed_layers: int | None,
    tensor_parallel: int,
) -> Result:
    """2 · layers · kv_heads · head_dim · bytes per token; a latent cache keeps latent + rope. Raises InputError."""
    windowed = 0 if window is None else (layers if windowed_layers is None else windowed_layers)
    if windowed > layers:
        raise InputError({"windowed_layers": f"There are only {layers} layers."})
    elements = 2 * kv_heads * head_dim if kind == "grouped" else latent + rope
    per_layer = row_bytes(elements, element_bytes, scale_group, scale_bytes)
    capped = min(tokens, window) if window is not None else tokens
    rows = (layers - windowed) * tokens + windowed * capped
    sequence = per_layer * rows
    scales = f" + {exact(-(-elements // scale_group) * scale_bytes * layers)} bytes of scales" if scale_group else ""
    if kind == "grouped":
        heads_a_rank = max(1, -(-kv_heads // tensor_parallel))  # a rank keeps whole heads, and at least one
        rank = row_bytes(2 * heads_a_rank * head_dim, element_bytes, scale_group, scale_bytes) * rows * batch
        numbers = f"{exact(layers)} layers · {exact(kv_heads)} KV heads · {exact(head_dim)}"
        formula = f"2 · {numbers} · {element_bytes} bytes{scales}"
        latex = rf"2 \cdot {layers} \cdot {kv_heads} \cdot {head_dim} \cdot {element_bytes}"
    else:
        rank = sequence * batch  # the latent is needed whole by every head: it is replicated
        formula = f"{exact(layers)} layers · ({exact(latent)} + {exact(rope)}) · {element_bytes} bytes{scales}"
        latex = rf"{layers} \cdot ({latent} + {rope}) \cdot {element_bytes}"
    if scale_group:
        latex += rf" + {-(-elements // scale_group) * scale_bytes * layers}"
    per_token = per_layer * layers
    total = sequence * batch
    return Result(
        figures=(
            Figure.of("total_bytes", "The cache", total, "bytes"),
            Figure.of("bytes_per_token", "Per token", per_token, "bytes"),
            Figure.of("sequence_bytes", "Per sequence", sequence, "bytes"),
            Figure.of("rank_bytes", "On each of the tensor-parallel devices", rank, "bytes"),
            Figure.of("all_ranks_bytes", "On all of them together", rank * tensor_parallel, "bytes"),
        ),
        formula=(
            f"{formula} = {exact(per_token)} bytes a token; "
            f"{exact(total)} bytes for {exact(batch)} × {exact(tokens)} tokens"
        ),
        latex=rf"{latex} = {per_token}\ \text{{bytes per token}}",
        establishes="What the cache of full sequences needs, exactly: it follows from the configuration alone.",
        to_measure=(
            "What an engine keeps beside it (block tables, the unused rest of each sequence's last block, copies for "
            "beams), what is left after weights and workspace, and how long sequences really are."
        ),
        convention=(
            "Per token before windows; a windowed layer stops growing at the window. "
            + ("Each rank keeps whole KV heads, at least one." if kind == "grouped" else "The latent is replicated.")
        ),
    )


CALCULATOR = Calculator(
    "kv-cache",
    "KV cache",
    "Bytes of keys and values by heads, layers, tokens, window and device.",
    FIELDS,
    compute,
)
