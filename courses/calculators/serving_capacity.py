"""How many requests a device serves at once, and a second: bounded by memory and by latency, tied by Little's law.

Little 1961, A Proof for the Queuing Formula L = λW. Step time as in Pope et al. 2022, arXiv 2211.05102: weights once,
every sequence's cache once. Where a device also prefills, a batch of B sequences that say n tokens each ends B/n of
them a step, and each of their successors brings a prefill, whose time all tokens of the step wait for.
"""

from __future__ import annotations

import math

from courses.calculators.contract import Calculator, Field, Figure, InputError, Result
from courses.calculators.units import exact, rounded, show

FIELDS = (
    Field("rate", "Requests that arrive", "requests/s", 10, "float", min=1e-6, max=1e9),
    Field("prompt", "Tokens of a prompt, on average", "tokens", 2000, "int", min=1, max=100_000_000),
    Field("output", "Tokens of an answer, on average", "tokens", 300, "int", min=1, max=100_000_000),
    Field("token_time", "Time a token may take, on average", "ms", 50, "quantity", min=0.001, max=1e6),
    Field("cache_token", "Cache of a token, on a device", "KiB", 128, "quantity", min=0.001, max=1e9),
    Field("pool", "Memory for the cache, on a device", "GiB", 50, "quantity", min=0.001, max=1e6),
    Field("weights", "Weights read in a step, on a device", "GB", 15, "quantity", min=0, max=1e6),
    Field(
        "bandwidth", "Memory rate", "TB/s", 3.35, "quantity", min=0.001, max=1e6, help="What it reaches, if measured."
    ),
    Field(
        "prefill",
        "Prompts are computed",
        "",
        "here",
        "choice",
        choices=(("here", "On the same devices"), ("elsewhere", "Elsewhere (disaggregated)")),
    ),
    Field("parameters", "Parameters used by a token", "parameters", "8B", "quantity", min=1, max=1e15),
    Field("attained", "Arithmetic that prefill reaches", "TFLOP/s", 500, "quantity", min=0.001, max=1e6),
    Field("reused", "Share of a prompt found in a prefix cache", "fraction", 0, "quantity", min=0, max=1),
)


def compute(
    *,
    rate: float,
    prompt: int,
    output: int,
    token_time: float,
    cache_token: float,
    pool: float,
    weights: float,
    bandwidth: float,
    prefill: str,
    parameters: float,
    attained: float,
    reused: float,
) -> Result:
    """Return the batch that memory and latency allow, requests a second and devices. Raises InputError."""
    context = prompt + output / 2  # on average over its decode steps
    each = context * cache_token / bandwidth
    prefill_seconds = 2 * parameters * prompt * (1 - reused) / attained
    # a device's seconds for one request that are not shared with others, spread over its tokens
    wait = prefill_seconds / output if prefill == "here" else 0.0
    base = weights / bandwidth
    by_memory = int(pool // (context * cache_token))
    by_latency = int((token_time - base) / (each + wait)) if token_time > base else 0
    batch = min(by_memory, by_latency)
    if not by_memory:
        raise InputError({"pool": f"Not one request fits: it keeps {show(context * cache_token, 'bytes')} on average."})
    if not batch:
        least = base + each + wait
        raise InputError({"token_time": f"Even alone on the device, a token takes {show(least, 's')} on average."})
    step = base + batch * (each + wait)
    served = batch / (output * step)
    devices = math.ceil(rate / served)
    bound = "memory" if by_memory < by_latency else "latency"
    return Result(
        figures=(
            Figure.of("batch", "Requests at once, on a device", batch, "requests"),
            Figure.of("by_memory", "By memory", by_memory, "requests"),
            Figure.of("by_latency", "By the time of a token", by_latency, "requests"),
            Figure.of("step_seconds", "Time of a token at that batch", step, "s"),
            Figure.of("served", "Requests a second, on a device", served, "requests/s"),
            Figure.of("output_rate", "Tokens a second, on a device", served * output, "tokens/s"),
            Figure.of("request_seconds", "A request decodes for", output * step, "s"),
            Figure.of("in_flight", "Requests decoding at once, in all (λ · W)", rate * output * step, "requests"),
            Figure.of("devices", "Devices", devices, "devices"),
            Figure.of("request_bytes", "Cache of a request, on average", context * cache_token, "bytes"),
            Figure.of("prefill_seconds", "Prefill of a request", prefill_seconds, "s"),
            Figure.of("prefill_share", "Of a device's time spent on prompts", batch * wait / step, "fraction"),
            Figure.of("prefill_devices", "Prefill, in busy devices", rate * prefill_seconds, "devices"),
        ),
        formula=(
            f"min({exact(by_memory)} by memory, {exact(by_latency)} by latency) = {exact(batch)} requests; "
            f"{exact(batch)} / ({exact(output)} tokens · {show(step, 's')}) = {rounded(served)} requests a second"
        ),
        latex=(
            rf"\lambda = \frac{{L}}{{W}} = \frac{{{batch}}}{{{output} \cdot {step * 1000:.4g}\ \text{{ms}}}}"
            rf" = {served:.3g}\ \text{{s}}^{{-1}}"
        ),
        establishes=(
            f"An upper bound on what a device serves under this mean: {bound} sets it. No scheduler does better if "
            "each step reads these bytes."
        ),
        to_measure=(
            "Arrivals and lengths as they are: bursts and tails need room above the mean, and a percentile is not a "
            "mean. The rates that your kernels reach, and what launches, sampling and communication add to a step."
        ),
        convention=(
            "A request holds its prompt and half its answer on average, in pages. Prefill is 2 FLOPs a parameter and "
            "token, attention's own left out, and does not overlap with decode. Devices are rounded up, with no spare."
        ),
    )


CALCULATOR = Calculator(
    "serving-capacity",
    "Serving capacity",
    "Requests at once and a second, from memory, from the time of a token, and the devices for an arrival rate.",
    FIELDS,
    compute,
)
