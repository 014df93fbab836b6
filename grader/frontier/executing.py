"""Run a chain as a schedule says, and make one update of it that the meter can run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint, create_selective_checkpoint_contexts

from grader.frontier.schedule import Keep, Part
from grader.program import Program

Block = Callable[[torch.Tensor], torch.Tensor]


def execute(blocks: Sequence[Block], x: torch.Tensor, schedule: Sequence[Part]) -> torch.Tensor:
    """Return what the chain `blocks` returns for `x`, keeping and replaying as `schedule` says.

    Replays preserve the random state, and stop once they have what backward needs, so the recomputed FLOPs may be
    fewer than predicted. Parts must cover the blocks in order.
    """
    for part in schedule:
        if isinstance(part, Keep):
            x = blocks[part.block](x)
        else:
            x = checkpoint(partial(_inside, blocks, part.inside), x, use_reentrant=False)
    return x


def keep_products(blocks: Sequence[Block], x: torch.Tensor, each: int = 1) -> torch.Tensor:
    """Return what the chain returns, in segments of `each` blocks that keep what their matrix products made.

    All else within a segment is made again, one segment at a time, for hardly any FLOPs.
    """
    for first in range(0, len(blocks), each):
        segment = partial(_inside, blocks, [Keep(block) for block in range(first, min(first + each, len(blocks)))])
        x = checkpoint(segment, x, use_reentrant=False, context_fn=_keeping_products)
    return x


def _keeping_products() -> Any:
    return create_selective_checkpoint_contexts([torch.ops.aten.mm.default, torch.ops.aten.addmm.default])


def program(blocks: nn.ModuleList, x: torch.Tensor, schedule: Sequence[Part]) -> Program:
    """Return one update (forward, backward) of the chain under `schedule`, for `grader.meter.run`."""
    return update(blocks, x, lambda blocks, x: execute(blocks, x, schedule))


def update(
    blocks: nn.ModuleList, x: torch.Tensor, run: Callable[[Sequence[Block], torch.Tensor], torch.Tensor]
) -> Program:
    """Return one update (forward, backward) of the chain whose forward is `run`.

    Gradients are made resident first, so that the bytes above the start are activations; the loss is a fixed linear
    form of the output and keeps none of it. Adds to the blocks' gradients.
    """
    for tensor in (x, *blocks.parameters()):
        if tensor.requires_grad and tensor.grad is None:
            tensor.grad = torch.zeros_like(tensor)
    state: dict[str, Any] = {}

    def forward() -> None:
        state["loss"] = LinearLoss.apply(run(list(blocks), x))

    def backward() -> None:
        state["loss"].backward()
        state["loss"] = state["loss"].detach()

    return Program([("forward", forward), ("backward", backward)], lambda: dict(state), blocks, [x])


class LinearLoss(torch.autograd.Function):
    """Sum of a tensor over its number of elements: keeps nothing of its argument, and hands on one whole gradient."""

    @staticmethod
    def forward(ctx: Any, y: torch.Tensor) -> torch.Tensor:
        ctx.like = y.shape, y.dtype, y.device
        return y.mean()

    @staticmethod
    def backward(ctx: Any, *grads: torch.Tensor) -> torch.Tensor:
        shape, dtype, device = ctx.like
        gradient = torch.empty(shape, dtype=dtype, device=device)
        return gradient.copy_(grads[0] / gradient.numel())


def _inside(blocks: Sequence[Block], inside: Sequence[Part], x: torch.Tensor) -> torch.Tensor:
    return execute(blocks, x, inside)
