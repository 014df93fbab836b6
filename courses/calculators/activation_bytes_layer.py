"""Bytes that one transformer layer keeps for backward, by parallelism and recomputation.

Korthikanti et al. 2022, arXiv 2205.05198, for 16-bit elements, one-byte dropout masks and d_ff = 4h; the general
d_ff, other element sizes and no dropout follow from the same inventory, part by part (`kept`).
"""

from __future__ import annotations

from dataclasses import dataclass

from courses.calculators.contract import Calculator, Field, Figure, InputError, Result
from courses.calculators.units import exact

FIELDS = (
    Field("sequence", "Tokens s", "tokens", 2048, "int", min=1, max=100_000_000),
    Field("batch", "Micro-batch b", "sequences", 4, "int", min=1, max=1_000_000),
    Field("hidden", "Width h", "", 6144, "int", min=1, max=1_000_000),
    Field("heads", "Heads a", "heads", 64, "int", min=1, max=100_000),
    Field("d_ff", "Width of the MLP", "", None, "int", min=1, max=10_000_000, help="4h where it is left empty."),
    Field("layers", "Layers L", "layers", 48, "int", min=1, max=100_000),
    Field(
        "recompute",
        "Recomputation",
        "",
        "none",
        "choice",
        choices=(
            ("none", "None"),
            ("selective", "Selective: the attention core"),
            ("full", "Full: only its input is kept"),
        ),
    ),
    Field(
        "attention",
        "Attention scores",
        "",
        "materialised",
        "choice",
        choices=(("materialised", "Written out (s × s per head)"), ("fused", "Fused kernel: never stored")),
    ),
    Field("dropout", "Dropout", "", "on", "choice", choices=(("on", "On"), ("off", "Off"))),
    Field("element_bytes", "Bytes per element", "", "2", "choice", choices=(("2", "2: bf16, fp16"), ("4", "4: fp32"))),
    Field("tensor_parallel", "Tensor parallel t", "devices", 1, "int", min=1, max=4096),
    Field(
        "sequence_parallel",
        "Sequence parallel",
        "",
        "off",
        "choice",
        choices=(("off", "Off: norms and dropouts are kept on every rank"), ("on", "On: they are split too")),
    ),
    Field("pipeline", "Pipeline stages p", "stages", 1, "int", min=1, max=4096),
    Field("interleave", "Interleaved chunks m per stage", "chunks", 1, "int", min=1, max=1024),
)


@dataclass(frozen=True)
class Kept:
    """Bytes of one layer: what tensor parallelism leaves whole, what it splits, and the attention scores, split too."""

    whole: int
    split: int
    scores: int


def kept(
    *, sequence: int, batch: int, hidden: int, heads: int, d_ff: int, element_bytes: int = 2, dropout: bool = True
) -> Kept:
    """Return the inventory of one layer without parallelism or recomputation, in bytes.

    whole   two norm inputs, the inputs of attention and MLP (4h elements), and two output dropout masks (1 byte each)
    split   Q, K, V and the input of the output projection (4h elements); the MLP's activation input and output (2·d_ff)
    scores  softmax output, and with dropout its mask and its output (per head s × s)
    """
    tokens = sequence * batch
    masks = 2 * hidden if dropout else 0
    per_score = 2 * element_bytes + 1 if dropout else element_bytes
    return Kept(
        whole=tokens * (4 * hidden * element_bytes + masks),
        split=tokens * (4 * hidden + 2 * d_ff) * element_bytes,
        scores=tokens * heads * sequence * per_score,
    )


def compute(
    *,
    sequence: int,
    batch: int,
    hidden: int,
    heads: int,
    d_ff: int | None,
    layers: int,
    recompute: str,
    attention: str,
    dropout: str,
    element_bytes: str,
    tensor_parallel: int,
    sequence_parallel: str,
    pipeline: int,
    interleave: int,
) -> Result:
    """Return bytes per layer and for the first pipeline stage, per device. Raises InputError."""
    t, p, m, size = tensor_parallel, pipeline, interleave, int(element_bytes)
    _refuse_impossible(sequence_parallel, t, layers, p, m)
    parts = kept(
        sequence=sequence,
        batch=batch,
        hidden=hidden,
        heads=heads,
        d_ff=d_ff if d_ff is not None else 4 * hidden,
        element_bytes=size,
        dropout=dropout == "on",
    )
    whole_over = t if sequence_parallel == "on" else 1
    scores = parts.scores if recompute == "none" and attention == "materialised" else 0
    if recompute == "full":
        # The layer's input, whole on every rank: the published 2sbh.
        layer: float = sequence * batch * hidden * size
    else:
        layer = parts.whole / whole_over + parts.split / t + scores / t
    per_score = parts.scores // (sequence * batch * heads * sequence)
    terms = (
        [_share(f"{size}", 1)]
        if recompute == "full"
        else _terms(sequence, batch, hidden, heads, parts, (whole_over, t), scores, per_score)
    )
    plain = parts.whole / whole_over + parts.split / t + (parts.scores / t if attention == "materialised" else 0)
    stage = layer * layers * (1 + (p - 1) / (p * m) if m > 1 else 1)
    return Result(
        figures=(
            Figure.of("layer_bytes", "Kept per layer", _whole(layer), "bytes"),
            Figure.of("stage_bytes", f"Kept for {layers:,} layers (the first stage)", _whole(stage), "bytes"),
            Figure.of("scores_bytes", "Of a layer's, attention scores", _whole(scores / t), "bytes"),
            Figure.of("plain_layer_bytes", "Per layer without recomputation", _whole(plain), "bytes"),
            Figure.of("saved_share", "Share of the plain layer that is not kept", 1 - layer / plain, "fraction"),
        ),
        formula=(
            f"{exact(sequence)} · {exact(batch)} · {exact(hidden)} · ({' + '.join(text for text, _ in terms)})"
            f" = {exact(_whole(layer))} bytes a layer"
        ),
        latex=(
            rf"{sequence} \cdot {batch} \cdot {hidden} \cdot \left({' + '.join(latex for _, latex in terms)}\right)"
            rf" = {exact(_whole(layer)).replace(',', '{,}')}\ \text{{bytes}}"
        ),
        establishes=(
            "What has to be stored per layer between forward and backward under this recipe, counting each operator's "
            "saved tensors. For p stages without interleaving the first stage keeps L layers' worth whatever p is."
        ),
        to_measure=(
            "The peak: embeddings, final norm, logits and loss are not in it, nor a replay's workspace, temporaries "
            "and allocator slack. A fused kernel, an in-place operator or a compiled graph saves other tensors: "
            "meter one layer."
        ),
        convention=(
            "GPT layer with GeLU, biases and dropout masks of one byte, micro-batches as in 1F1B. "
            "Selective means that scores, softmax and attention dropout are recomputed."
        ),
    )


def _refuse_impossible(sequence_parallel: str, t: int, layers: int, p: int, m: int) -> None:
    if sequence_parallel == "on" and t == 1:
        raise InputError(
            {"sequence_parallel": "It splits over the tensor-parallel ranks: set t above 1, or switch it off."}
        )
    if m > 1 and p == 1:
        raise InputError({"interleave": "Interleaving needs a pipeline: set p above 1, or m to 1."})
    if layers % (p * m):
        raise InputError({"pipeline": f"{layers} layers do not divide into {p} × {m} equal chunks."})


def _whole(value: float) -> float:
    return int(value) if value == int(value) else value


def _terms(
    s: int, b: int, h: int, a: int, parts: Kept, over: tuple[int, int], scores: int, per_score: int
) -> list[tuple[str, str]]:
    """Return the bracket of the formula, term by term, as text and as LaTeX: bytes per token and unit of width."""
    whole_over, t = over
    tokens = s * b * h
    terms = [_share(f"{parts.whole / tokens:.4g}", whole_over), _share(f"{parts.split / tokens:.4g}", t)]
    if scores:
        below = f"({exact(h)} · {t})" if t > 1 else exact(h)
        above = f"{per_score} \\cdot {a} \\cdot {s}"
        under = f"{h} \\cdot {t}" if t > 1 else f"{h}"
        terms.append((f"{per_score} · {exact(a)} · {exact(s)} / {below}", rf"\frac{{{above}}}{{{under}}}"))
    return terms


def _share(size: str, over: int) -> tuple[str, str]:
    return (size, size) if over == 1 else (f"{size}/{over}", rf"\frac{{{size}}}{{{over}}}")


CALCULATOR = Calculator(
    "activation-bytes-layer",
    "Activation bytes per transformer layer",
    "What one layer keeps for backward: by width, heads, tokens, parallelism and recomputation.",
    FIELDS,
    compute,
)
