"""Model and hardware FLOPs utilisation, by the published conventions, each labelled."""

from __future__ import annotations

from courses.calculators import transformer
from courses.calculators.contract import Calculator, Field, Figure, InputError, Result
from courses.calculators.hardware import CHOICES, DENSE_PEAK_FLOPS
from courses.calculators.units import exact, latex, rounded, show

FIELDS = (
    Field(
        "convention",
        "Model FLOPs by",
        "",
        "palm",
        "choice",
        choices=(
            ("palm", "6N + 12·L·H·Q·T per token (PaLM)"),
            ("megatron", "72·L·h²·(1 + s/6h + v/12hL) per token (Megatron)"),
            ("short", "6N per token"),
        ),
    ),
    Field(
        "parameters",
        "Parameters N",
        "parameters",
        "540.35B",
        "quantity",
        min=1,
        max=1e15,
        help="For the first and third convention. Tied embeddings count once; for experts, the active ones.",
    ),
    Field("layers", "Layers L", "layers", 118, "int", min=1, max=100_000),
    Field("heads", "Query heads H", "heads", 48, "int", min=1, max=100_000),
    Field("head_dim", "Head dimension Q", "", 256, "int", min=1, max=100_000, help="Not always width / heads."),
    Field("hidden", "Width h", "", 18432, "int", min=1, max=1_000_000, help="For the Megatron convention."),
    Field(
        "vocabulary", "Vocabulary v", "", 256_000, "int", min=1, max=100_000_000, help="For the Megatron convention."
    ),
    Field("sequence", "Tokens a sequence T", "tokens", 2048, "int", min=1, max=100_000_000),
    Field("tokens_per_s", "Tokens per second", "tokens", 238_300, "quantity", min=1e-6, max=1e15),
    Field("scope", "Tokens/s are for", "", "all", "choice", choices=(("all", "All devices"), ("device", "One device"))),
    Field("devices", "Devices", "devices", 6144, "int", min=1, max=10_000_000),
    Field("device", "Device (dense 16-bit peak)", "", "TPUv4", "choice", choices=CHOICES),
    Field("peak", "Peak of another device", "TFLOP/s", None, "quantity", min=0.001, max=1e6),
    Field(
        "recompute",
        "Recomputed in backward",
        "",
        "none",
        "choice",
        choices=(
            ("none", "Nothing"),
            ("selective", "The attention core, one forward of it"),
            ("selective-published", "The attention core, as published (s/3h)"),
            ("full", "Every layer"),
        ),
    ),
)


def compute(
    *,
    convention: str,
    parameters: float,
    layers: int,
    heads: int,
    head_dim: int,
    hidden: int,
    vocabulary: int,
    sequence: int,
    tokens_per_s: float,
    scope: str,
    devices: int,
    device: str,
    peak: float | None,
    recompute: str,
) -> Result:
    """MFU = tokens/s per device × model FLOPs per token / peak; HFU adds the recomputed work. Raises InputError."""
    peak_rate = peak if peak is not None else DENSE_PEAK_FLOPS[device]
    if convention == "megatron":
        model = transformer.megatron_model_flops(1, layers, sequence, hidden, vocabulary) / sequence
        attention = 12 * layers * hidden * sequence
        logits = 6 * hidden * vocabulary
    else:
        model = 6.0 * parameters
        attention = 12 * layers * heads * head_dim * sequence if convention == "palm" else 0
        model += attention
        logits = 0  # N counts the embedding once; this convention has no term to leave out of the replay
    extra = _recomputed(recompute, model, attention, logits)
    per_device = tokens_per_s / devices if scope == "all" else tokens_per_s
    mfu = per_device * model / peak_rate
    hfu = per_device * (model + extra) / peak_rate
    if hfu > 1:
        raise InputError(
            {
                "tokens_per_s": f"That is {rounded(100 * hfu)} % of the peak, and nothing runs above it: is the "
                "device the one that ran, the rate for what you say it is for, and the peak a dense one?"
            }
        )
    return Result(
        figures=(
            Figure.of("mfu", "Model FLOPs utilisation", mfu, "fraction"),
            Figure.of("hfu", "Hardware FLOPs utilisation", hfu, "fraction"),
            Figure.of("model_flops_per_token", "Model FLOPs per token", model, "FLOP"),
            Figure.of("recomputed_flops_per_token", "Recomputed FLOPs per token", extra, "FLOP"),
            Figure.of("recomputed_of_forward", "Recomputed, of one forward", 3 * extra / model, "fraction"),
            Figure.of("achieved", "Model FLOPs per second and device", per_device * model, "FLOP/s"),
        ),
        formula=(
            f"{rounded(per_device)} tokens/s · {rounded(model)} FLOP/token / {show(peak_rate, 'FLOP/s')}"
            f" = {rounded(100 * mfu)} %"
            + (f"  ({exact(tokens_per_s)} tokens/s over {exact(devices)} devices)" if scope == "all" else "")
        ),
        latex=rf"\frac{{{latex(per_device)} \times {latex(model)}}}{{{latex(peak_rate)}}} = {mfu:.4f}",
        establishes="The share of the dense peak that went into the model's own arithmetic, by the convention named.",
        to_measure=(
            "Tokens per second over many steps after warm-up, data loading included. MFU does not say where the rest "
            "went: profile for communication, bubbles, memory-bound operators and recomputation."
        ),
        convention=(
            "Causal attention is not halved. MFU never counts recomputed work, HFU does. "
            + ("The published form counts three forwards of the attention core." if "published" in recompute else "")
        ).strip(),
    )


def _recomputed(recompute: str, model: float, attention: float, logits: float) -> float:
    """Return recomputed FLOPs per token; one forward is a third of model FLOPs, and the logits are not replayed."""
    if recompute == "full":
        return (model - logits) / 3
    if recompute == "selective":
        return attention / 3
    if recompute == "selective-published":
        return attention
    return 0.0


CALCULATOR = Calculator(
    "mfu-hfu",
    "MFU and HFU",
    "Model and hardware FLOPs utilisation from tokens per second, with the convention named.",
    FIELDS,
    compute,
)
