"""One long sequence cut over devices: what a layer keeps, what attention has to send, and whether a ring hides it.

Liu, Zaharia and Abbeel 2023 (Ring Attention): a block of keys and values is handed on while the block at hand is
worked on. Of n tokens a device, a ring step sends 2·n·(G/t)·d·e bytes and, with the causal work evened out, computes
half of 4·n²·(H/t)·d FLOPs, so it is hidden from n = e·(G/H)·(FLOP/s)/(bytes/s) tokens on: the sequence cancels.
Jacobs et al. 2023 (DeepSpeed Ulysses) exchange heads for tokens instead: Q, K, V there, the output back.
"""

from __future__ import annotations

from courses.calculators.contract import Calculator, Field, Figure, InputError, Result
from courses.calculators.hardware import CHOICES, DENSE_PEAK_FLOPS
from courses.calculators.units import exact, latex, rounded, show

FIELDS = (
    Field("sequence", "Tokens of the sequence s", "tokens", 131_072, "int", min=1, max=100_000_000),
    Field("context_parallel", "Context parallel c", "devices", 16, "int", min=1, max=65_536),
    Field(
        "tensor_parallel",
        "Tensor parallel t",
        "devices",
        8,
        "int",
        min=1,
        max=4096,
        help="With sequence parallelism: norms and residuals are split over t too.",
    ),
    Field("layers", "Layers L", "layers", 126, "int", min=1, max=100_000),
    Field("heads", "Query heads H", "heads", 128, "int", min=1, max=100_000),
    Field("kv_heads", "KV heads G", "heads", 8, "int", min=1, max=100_000),
    Field("head_dim", "Head dimension d", "", 128, "int", min=1, max=100_000),
    Field("hidden", "Width h", "", None, "int", min=1, max=1_000_000, help="Heads × head dimension if left empty."),
    Field("d_ff", "Width of the MLP", "", 53_248, "int", min=1, max=10_000_000),
    Field(
        "mlp",
        "MLP",
        "",
        "gated",
        "choice",
        choices=(("gated", "Gated: keeps gate, up and their product"), ("plain", "Plain: keeps both sides of GELU")),
    ),
    Field("element_bytes", "Bytes per element", "", "2", "choice", choices=(("2", "2: bf16, fp16"), ("4", "4: fp32"))),
    Field("bandwidth", "Rate a device and direction", "GB/s", 50, "quantity", min=1e-6, max=1e6),
    Field("device", "Device (dense 16-bit peak)", "", "H100-SXM", "choice", choices=CHOICES),
    Field("utilisation", "Attention kernel, of the peak", "fraction", 0.5, "quantity", min=0.001, max=1),
)


def compute(
    *,
    sequence: int,
    context_parallel: int,
    tensor_parallel: int,
    layers: int,
    heads: int,
    kv_heads: int,
    head_dim: int,
    hidden: int | None,
    d_ff: int,
    mlp: str,
    element_bytes: str,
    bandwidth: float,
    device: str,
    utilisation: float,
) -> Result:
    """Return kept bytes, traffic and the time of a ring step, per device, in bytes and seconds. Raises InputError."""
    c, t, size = context_parallel, tensor_parallel, int(element_bytes)
    _refuse_impossible(sequence, c, heads, t)
    width = hidden if hidden is not None else heads * head_dim
    n = sequence // c
    own_heads, own_kv = heads // t, max(1, -(-kv_heads // t))
    # Norm inputs, the inputs of attention and MLP, Q and the attention output; keys and values; the MLP's inside.
    kept = n * size * ((6 * width + (3 if mlp == "gated" else 2) * d_ff) / t + 2 * own_kv * head_dim)
    message = 2 * n * own_kv * head_dim * size
    flops = 2 * sequence * n * own_heads * head_dim
    rate = DENSE_PEAK_FLOPS[device] * utilisation
    work_step, send_step = flops / c / rate, message / bandwidth
    enough = size * own_kv / own_heads * rate / bandwidth
    exchanged = 2 * n * (own_heads + own_kv) * head_dim * size * (c - 1) / c
    return Result(
        figures=(
            Figure.of("layer_bytes", "Kept per layer", _whole(kept), "bytes"),
            Figure.of("model_bytes", f"Kept for {layers:,} layers", _whole(kept * layers), "bytes"),
            Figure.of("tokens_per_device", "Tokens a device n", n, "tokens"),
            Figure.of("kv_bytes", "Keys and values of n tokens: a ring's message", message, "bytes"),
            Figure.of("kv_traffic", "Keys and values sent, a layer's forward", message * (c - 1), "bytes"),
            Figure.of("gathered_bytes", "Keys and values of all tokens, if gathered", message * c, "bytes"),
            Figure.of("exchange_bytes", "Sent if heads are exchanged, a layer's forward", _whole(exchanged), "bytes"),
            Figure.of("attention_flops", "Attention's products, a layer's forward, causal", flops, "FLOP"),
            Figure.of("step_compute_seconds", "A ring step's arithmetic", work_step, "s"),
            Figure.of("step_send_seconds", "A ring step's message", send_step, "s"),
            Figure.of("overlap", "Arithmetic over message: hidden from 1 on", work_step / send_step, ""),
            Figure.of("tokens_to_hide", "Tokens a device from which it is hidden", enough, "tokens"),
            Figure.of("contiguous_slowdown", "Busiest over mean, cut into runs", 2 - 1 / c, ""),
        ),
        formula=(
            f"{exact(n)} tokens a device: a message of 2 · {exact(n)} · {exact(own_kv)} · {exact(head_dim)} · {size}"
            f" = {exact(message)} bytes takes {show(send_step, 's')}; a step's {rounded(flops / c)} FLOP take "
            f"{show(work_step, 's')}: {'hidden' if work_step >= send_step else 'not hidden'}"
        ),
        latex=(
            rf"n \ge {size} \cdot \frac{{{own_kv}}}{{{own_heads}}} \cdot"
            rf" \frac{{{latex(rate)}}}{{{latex(bandwidth)}}} = {latex(round(enough, 1))}\ \text{{tokens}}"
        ),
        establishes=(
            "The bytes that a layer's activations take on a device, and the bytes that attention must move because "
            "tokens are apart. Ring and all-gather move the same; the ring holds two messages, the gather all."
        ),
        to_measure=(
            "The attention kernel's rate on blocks this small, the network's rate with other groups on it, and what a "
            "document mask does to the balance. Embeddings, logits and resident state are not in it."
        ),
        convention=(
            "Fused attention, no dropout, no recomputation; a multiply and an add are two FLOPs; causal work halved "
            "and shared evenly (zig-zag). KV heads are copied where t exceeds them. Backward sends keys and values "
            "once more and their gradients back: twice the forward's bytes."
        ),
    )


def _refuse_impossible(sequence: int, c: int, heads: int, t: int) -> None:
    if sequence % c:
        raise InputError({"context_parallel": f"{sequence:,} tokens do not divide over {c:,} devices."})
    if heads % t:
        raise InputError({"tensor_parallel": f"{heads:,} heads do not divide over {t:,} devices."})


def _whole(value: float) -> float:
    return int(value) if value == int(value) else value


CALCULATOR = Calculator(
    "context-parallel",
    "Context parallelism",
    "A long sequence over devices: kept bytes, the traffic of keys and values, and whether a ring hides it.",
    FIELDS,
    compute,
)
