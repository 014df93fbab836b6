"""What expert parallelism moves: each token's row to the devices of its experts, and the experts' answers back.

A device with n tokens sends n · k · h · e bytes into the dispatch when a row is sent for each of k chosen experts, of
which the share (D - 1)/D leaves the device if routing is uniform over D. Lepikhin et al. 2020 (GShard), section 2.
Sending one row for each *device* that holds a chosen expert is the form with fewer bytes: for k different experts drawn
uniformly from E, of which E/D lie on one device, that device is hit with probability 1 - C(E - E/D, k) / C(E, k).
"""

from __future__ import annotations

from math import prod

from courses.calculators.contract import Calculator, Field, Figure, InputError, Result
from courses.calculators.units import exact, latex, rounded, show

_FORMATS = (("2", "2: bf16, fp16"), ("1", "1: fp8, int8"), ("4", "4: fp32"))

FIELDS = (
    Field("tokens", "Tokens a device", "tokens", 8192, "int", min=1, max=10_000_000_000, help="In one micro-batch."),
    Field("hidden", "Width h", "", 7168, "int", min=1, max=10_000_000),
    Field("top_k", "Experts a token", "experts", 8, "int", min=1, max=100_000, help="Shared experts stay at home."),
    Field("experts", "Routed experts in the layer", "experts", 256, "int", min=1, max=100_000),
    Field("devices", "Expert-parallel devices", "devices", 64, "int", min=1, max=100_000),
    Field("element_bytes", "Bytes per element, dispatch", "", "2", "choice", choices=_FORMATS),
    Field("combine_bytes", "Bytes per element, combine", "", "2", "choice", choices=_FORMATS),
    Field(
        "copies",
        "A row is sent once for",
        "",
        "expert",
        "choice",
        choices=(("expert", "each chosen expert"), ("device", "each device that holds a chosen expert")),
    ),
    Field("bandwidth", "Rate a device and direction", "GB/s", 50, "quantity", min=1e-6, max=1e6),
    Field(
        "imbalance",
        "Busiest device over the mean",
        "",
        1,
        "float",
        min=1,
        max=1e6,
        help="1 is perfect balance; measure it on your router.",
    ),
)


def compute(
    *,
    tokens: int,
    hidden: int,
    top_k: int,
    experts: int,
    devices: int,
    element_bytes: str,
    combine_bytes: str,
    copies: str,
    bandwidth: float,
    imbalance: float,
) -> Result:
    """Return bytes out per device, remote share and times of one layer's forward, in bytes and seconds.

    Raises InputError where experts do not divide over devices, or a token wants more experts than there are.
    """
    _refuse_impossible(top_k, experts, devices, imbalance)
    rows = top_k if copies == "expert" else _devices_hit(top_k, experts, devices)
    remote = (devices - 1) / devices
    sent = tokens * rows * remote
    row, back_row = hidden * int(element_bytes), hidden * int(combine_bytes)
    out, back = sent * row, sent * back_row
    busiest = imbalance * (out + back)
    mean_rows = tokens * devices * top_k / experts
    return Result(
        figures=(
            Figure.of("dispatch_bytes", "Out of a device, dispatch", _whole(out), "bytes"),
            Figure.of("combine_bytes", "Back to it, combine", _whole(back), "bytes"),
            Figure.of("forward_bytes", "Both, one layer's forward", _whole(out + back), "bytes"),
            Figure.of("dispatch_seconds", "Dispatch at this rate", imbalance * out / bandwidth, "s"),
            Figure.of("forward_seconds", "Both, one layer's forward, in time", busiest / bandwidth, "s"),
            Figure.of("remote_share", "Of the rows, remote", remote, "fraction"),
            Figure.of("rows_per_token", "Rows a token, its own device's counted", _whole(rows), "rows"),
            Figure.of("tokens_per_expert", "Rows an expert computes, mean", _whole(mean_rows), "rows"),
            Figure.of(
                "busiest_rows",
                "Rows the busiest device computes",
                _whole(imbalance * tokens * top_k),
                "rows",
            ),
        ),
        formula=(
            f"{exact(tokens)} tokens · {rounded(rows)} rows · {exact(devices - 1)}/{exact(devices)}"
            f" · {exact(row)} bytes = {rounded(out)} bytes out; with {rounded(back)} back,"
            f" · {rounded(imbalance)} / {show(bandwidth, 'bytes/s')}"
            f" = {show(busiest / bandwidth, 's')}"
        ),
        latex=(
            rf"{latex(tokens)} \cdot {latex(rows)} \cdot \frac{{{devices - 1}}}{{{devices}}} \cdot {latex(row)}"
            rf" = {latex(out)}\ \text{{bytes}}"
        ),
        establishes=(
            "What one layer's forward puts on the wire per device under uniform routing, and the least time of it when "
            "the busiest device has this many times the mean. Backward runs the same two exchanges again, reversed."
        ),
        to_measure=(
            "The imbalance of the real router, per layer and step; the rate at this message size; how much is hidden "
            "under computation; and which share crosses the slow network, which depends on where experts are placed."
        ),
        convention=(
            "Bytes out of one device; it receives as many on average, in the other direction, at the same time. Own "
            "rows are not sent. Routing metadata (indices, weights) is left out."
            + (
                ""
                if copies == "expert"
                else " One row a device hit, the expected number for different experts drawn uniformly; the answers "
                "are added up there, so one row comes back."
            )
        ),
    )


def _refuse_impossible(top_k: int, experts: int, devices: int, imbalance: float) -> None:
    if top_k > experts:
        raise InputError({"top_k": f"A token cannot choose {top_k:,} different experts of {experts:,}."})
    if experts % devices:
        raise InputError({"devices": f"{experts:,} experts do not divide equally over {devices:,} devices."})
    if imbalance > devices:
        raise InputError(
            {"imbalance": f"With {devices:,} devices, the busiest has at most {devices:,} times the mean."}
        )


def _devices_hit(top_k: int, experts: int, devices: int) -> float:
    """Return the expected number of different devices that k different experts, drawn uniformly, lie on."""
    others = experts - experts // devices
    missed = prod((others - drawn) / (experts - drawn) for drawn in range(top_k)) if top_k <= others else 0.0
    return devices * (1 - missed)


def _whole(value: float) -> float:
    return int(value) if value == int(value) else value


CALCULATOR = Calculator(
    "all-to-all",
    "Expert-parallel exchange (all-to-all)",
    "What dispatch and combine of one mixture-of-experts layer move, and how long that takes.",
    FIELDS,
    compute,
)
