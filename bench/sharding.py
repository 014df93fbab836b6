"""Data parallelism on four ranks, with the optimiser's state whole on each and with a quarter of it on each."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from bench import ranks
from bench.ranks import Ring
from bench.stacks import drawn
from bench.training import highest, made
from grader import meter
from grader.meter import Metered
from grader.program import Program

LAYERS, WIDTH = 4, 256


def two_updates(ring: Ring, sharded: bool) -> tuple[Metered, dict[str, int], Tensor]:
    """Meter two updates under AdamW; return the run, bytes of state, parameters and messages, and the weights.

    Parameters and gradients lie in one buffer each, of which the modules' are views: buckets as large as the model.
    """
    model, tokens_BS, targets_BS = made(layers=LAYERS, width=WIDTH)
    tokens_BS, targets_BS = tokens_BS.chunk(ring.ranks)[ring.rank], targets_BS.chunk(ring.ranks)[ring.rank]
    parameters = list(model.parameters())
    size = sum(parameter.numel() for parameter in parameters)
    padded = -(-size // ring.ranks) * ring.ranks
    weights_P, gradients_P = torch.zeros(padded), torch.zeros(padded)
    at = 0
    for parameter in parameters:
        room = slice(at, at + parameter.numel())
        weights_P[room] = parameter.detach().flatten()
        parameter.data = weights_P[room].view_as(parameter)
        parameter.grad = gradients_P[room].view_as(parameter)
        at = room.stop
    own = nn.Parameter(weights_P.chunk(ring.ranks)[ring.rank] if sharded else weights_P)
    optimiser = torch.optim.AdamW([own], lr=0.001)
    held: dict[str, Tensor] = {}

    def forward() -> None:
        held["loss"] = model.loss(tokens_BS, targets_BS)

    def backward() -> None:
        held.pop("loss").backward()

    def exchange() -> None:
        if sharded:
            own.grad = ring.reduce_scatter(gradients_P).div_(ring.ranks)
        else:
            gradients_P.copy_(ring.all_reduce(gradients_P)).div_(ring.ranks)
            own.grad = gradients_P

    def step() -> None:
        optimiser.step()
        own.grad = None
        if sharded:
            ring.all_gather(own.detach(), into=weights_P)
        gradients_P.zero_()

    phases = [("forward", forward), ("backward", backward), ("exchange", exchange), ("optimiser", step)]
    run = meter.run(Program(phases * 2, dict, modules=model, inputs=[tokens_BS, targets_BS], optimiser=optimiser))
    state = sum(
        value.nbytes for entries in optimiser.state.values() for value in entries.values() if isinstance(value, Tensor)
    )
    sizes = {"state_bytes": state, "parameter_bytes": padded * 4, "sent_bytes": ring.sent_bytes // 2}
    ring.sent_bytes = 0
    return run, sizes, weights_P


def work(ring: Ring) -> dict[str, Any]:
    whole, whole_sizes, whole_P = two_updates(ring, sharded=False)
    shared, shared_sizes, shared_P = two_updates(ring, sharded=True)
    return {
        "timelines": drawn({"state sharded over four ranks": shared, "state whole on each": whole}),
        "peak": shared.peak,
        "same": bool(torch.equal(whole_P, shared_P)),
        "numbers": {
            "parameter_bytes": whole_sizes["parameter_bytes"],
            **{f"whole_{name}": size for name, size in whole_sizes.items() if name != "parameter_bytes"},
            **{f"sharded_{name}": size for name, size in shared_sizes.items() if name != "parameter_bytes"},
            "whole_backward_peak_bytes": highest(whole)[5],
            "sharded_backward_peak_bytes": highest(shared)[5],
        },
    }


def sharded_state() -> dict[str, Any]:
    """Two updates on four ranks: what a rank holds and sends with the state whole, and with a quarter of it."""
    found = ranks.run(work)
    if not all(each["same"] for each in found):
        raise AssertionError("sharding the state changed the weights")
    if any(each["numbers"] != found[0]["numbers"] for each in found):
        raise AssertionError("the ranks hold or send different amounts")
    return {
        "title": f"Rank 0 of {ranks.RANKS}: two updates of {LAYERS} transformer blocks, width {WIDTH}, AdamW, fp32",
        **{name: found[0][name] for name in ("timelines", "peak", "numbers")},
    }
