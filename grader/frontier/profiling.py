"""Meter each block of a chain by itself."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import nn

from grader import meter
from grader.frontier.executing import LinearLoss
from grader.frontier.schedule import BlockProfile
from grader.program import Program


def measure(blocks: nn.ModuleList, x: torch.Tensor) -> list[BlockProfile]:
    """Meter a forward and a backward of each block, on the input that the chain gives it.

    The gradients of the parameters are resident meanwhile, so what accumulates into them counts as workspace; they and
    the random state are left as they were (buffers move, as in any forward). Each block runs once before
    it is metered: what an operator takes on its first use is not counted.
    """
    found = []
    with torch.random.fork_rng(devices=[]):
        for number, block in enumerate(blocks):
            given = x.detach().requires_grad_(x.requires_grad or number > 0)
            with _gradients_set_aside(block):
                for _, phase in _update(block, given).phases:
                    phase()
                given.grad = None
                metered = meter.run(_update(block, given))
            with torch.no_grad():
                x = block(given)
            output = 0 if x.untyped_storage().data_ptr() == given.untyped_storage().data_ptr() else _bytes(x)
            found.append(
                BlockProfile(
                    saved_bytes=metered.saved_bytes - output,
                    output_bytes=output,
                    workspace_bytes=metered.peak_bytes - metered.saved_bytes,
                    forward_flops=metered.flops_by_phase["forward"],
                )
            )
    return found


def _update(block: nn.Module, x: torch.Tensor) -> Program:
    """One block's forward and backward, its output held in between as the next block would hold it."""
    state: dict[str, Any] = {}

    def forward() -> None:
        state["y"] = block(x)

    def backward() -> None:
        LinearLoss.apply(state.pop("y")).backward()

    return Program([("forward", forward), ("backward", backward)], dict, block, [x])


@contextmanager
def _gradients_set_aside(block: nn.Module) -> Iterator[None]:
    """Give every parameter a gradient of zeros, and its own back afterwards."""
    own = [(parameter, parameter.grad) for parameter in block.parameters() if parameter.requires_grad]
    for parameter, _ in own:
        parameter.grad = torch.zeros_like(parameter)
    try:
        yield
    finally:
        for parameter, gradient in own:
            parameter.grad = gradient


def _bytes(tensor: torch.Tensor) -> int:
    return tensor.untyped_storage().nbytes()
