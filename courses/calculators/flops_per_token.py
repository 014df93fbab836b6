"""Parameters and FLOPs per token of a decoder, from its configuration: grouped heads, gated MLPs, experts, ties.

Every matrix costs 2 FLOPs a weight and token in forward and 4 in backward; attention's two products cost 4·T·H·d a
layer and token in forward. Same count as Narayanan et al. 2021 and Chowdhery et al. 2022, matrix by matrix.
"""

from __future__ import annotations

from courses.calculators.contract import Calculator, Field, Figure, InputError, Result
from courses.calculators.units import exact, latex, rounded

FIELDS = (
    Field("layers", "Layers L", "layers", 32, "int", min=1, max=100_000),
    Field("hidden", "Width h", "", 4096, "int", min=1, max=1_000_000),
    Field("heads", "Query heads H", "heads", 32, "int", min=1, max=100_000),
    Field("kv_heads", "KV heads", "heads", 8, "int", min=1, max=100_000, help="Equal to the query heads: multi-head."),
    Field("head_dim", "Head dimension d", "", 128, "int", min=1, max=100_000, help="Not always width / heads."),
    Field("d_ff", "Width of the MLP, or of one expert", "", 14_336, "int", min=1, max=10_000_000),
    Field(
        "mlp",
        "MLP",
        "",
        "gated",
        "choice",
        choices=(("gated", "Gated: three matrices"), ("plain", "Plain: two matrices")),
    ),
    Field("experts", "Experts a layer", "experts", 1, "int", min=1, max=100_000, help="1: a dense model."),
    Field("active_experts", "Experts a token goes through", "experts", 1, "int", min=1, max=100_000),
    Field("vocabulary", "Vocabulary v", "", 128_256, "int", min=1, max=100_000_000),
    Field(
        "embeddings",
        "Input and output embedding",
        "",
        "untied",
        "choice",
        choices=(("untied", "Two matrices"), ("tied", "One matrix, used twice")),
    ),
    Field("sequence", "Tokens a sequence T", "tokens", 8192, "int", min=1, max=100_000_000),
    Field(
        "causal",
        "Causal attention",
        "",
        "full",
        "choice",
        choices=(
            ("full", "Counted whole (PaLM, Megatron)"),
            ("halved", "Half: only what the mask leaves"),
        ),
    ),
)


def compute(
    *,
    layers: int,
    hidden: int,
    heads: int,
    kv_heads: int,
    head_dim: int,
    d_ff: int,
    mlp: str,
    experts: int,
    active_experts: int,
    vocabulary: int,
    embeddings: str,
    sequence: int,
    causal: str,
) -> Result:
    """Return parameters, active parameters and FLOPs per token. Raises InputError."""
    if active_experts > experts:
        raise InputError({"active_experts": f"A token cannot go through more than the {experts} there are."})
    if heads % kv_heads:
        raise InputError({"kv_heads": f"{heads} query heads do not divide over {kv_heads} KV heads."})
    projections = hidden * head_dim * (2 * heads + 2 * kv_heads)
    expert = (3 if mlp == "gated" else 2) * hidden * d_ff
    router = hidden * experts if experts > 1 else 0
    embedding = vocabulary * hidden
    norms = 2 * hidden * layers + hidden
    stored = layers * (projections + experts * expert + router)
    used = layers * (projections + active_experts * expert + router)
    tables = embedding * (2 if embeddings == "untied" else 1)
    parameters, active = stored + tables + norms, used + tables + norms
    scores = 4 * layers * heads * head_dim * sequence / (2 if causal == "halved" else 1)
    forward = 2 * (used + embedding) + scores
    return Result(
        figures=(
            Figure.of("parameters", "Parameters", parameters, "parameters"),
            Figure.of("active_parameters", "Parameters that a token uses", active, "parameters"),
            Figure.of("forward_flops", "Forward, per token", forward, "FLOP"),
            Figure.of("train_flops", "Forward and backward, per token", 3 * forward, "FLOP"),
            Figure.of("six_n", "6N, with all active parameters", 6 * active, "FLOP"),
            Figure.of("six_n_error", "6N, off by", 6 * active / (3 * forward) - 1, "fraction"),
            Figure.of("attention_share", "Attention's own products, of it", scores / forward, "fraction"),
            Figure.of("logits_share", "Logits, of it", 2 * embedding / forward, "fraction"),
            Figure.of("mlp_share", "MLPs, of it", 2 * layers * active_experts * expert / forward, "fraction"),
            Figure.of("matrix_parameters", "Weights that multiply a token", used + embedding, "parameters"),
        ),
        formula=(
            f"3 · (2 · {rounded(used + embedding)} weights in products + {rounded(scores)} for attention)"
            f" = {rounded(3 * forward)} FLOP a token; {exact(parameters)} parameters"
        ),
        latex=rf"3 \cdot (2 \cdot {latex(used + embedding)} + {latex(scores)}) = {latex(3 * forward)}",
        establishes="The model FLOPs of a token at this length, matrix by matrix: it follows from the configuration.",
        to_measure=(
            "That the code runs what the configuration says: count one step with a FLOP counter. Seconds follow from "
            "FLOPs only where arithmetic is the limit."
        ),
        convention=(
            "A multiply and an add are two FLOPs; backward is twice forward. The output embedding counts as a product, "
            "the input's look-up does not. Norm weights are counted as parameters, biases are left out. "
            + (
                "Attention counted whole, as if nothing were masked."
                if causal == "full"
                else "Attention halved for the causal mask."
            )
        ),
    )


CALCULATOR = Calculator(
    "flops-per-token",
    "FLOPs and parameters per token",
    "From a configuration, dense or with experts, to parameters, active parameters and FLOPs of a token.",
    FIELDS,
    compute,
)
