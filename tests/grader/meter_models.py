"""Small programs for the meter's tests: every way of running a stack of blocks, each fresh and from one seed."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.checkpoint import (
    checkpoint,
    create_selective_checkpoint_contexts,
    set_checkpoint_early_stop,
)

from grader.program import Program

WAYS = (
    "plain",
    "checkpoint",
    "checkpoint without early stop",
    "reentrant",
    "selective",
    "function",
    "hooks",
    "autocast",
)
BLOCKS, BATCH, WIDTH = 6, 64, 32


class Mlp(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.a, self.b = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, x_BD: torch.Tensor) -> torch.Tensor:
        return x_BD + self.b(F.gelu(self.a(x_BD)))


class Convolution(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.convolution, self.norm, self.drop = nn.Conv2d(4, 4, 3, padding=1), nn.BatchNorm2d(4), nn.Dropout(0.1)

    def forward(self, x_BCHW: torch.Tensor) -> torch.Tensor:
        return x_BCHW + self.drop(F.relu(self.norm(self.convolution(x_BCHW))))


class Attention(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.norm, self.qkv, self.out = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)

    def forward(self, x_TD: torch.Tensor) -> torch.Tensor:
        q, k, v = self.qkv(self.norm(x_TD)).view(2, BATCH // 2, 3, 4, WIDTH // 4).permute(2, 0, 3, 1, 4)
        return x_TD + self.out(F.scaled_dot_product_attention(q, k, v).transpose(1, 2).reshape(BATCH, WIDTH))


class Replay(torch.autograd.Function):
    """A hand-written checkpoint."""

    @staticmethod
    def forward(ctx: Any, block: nn.Module, x: torch.Tensor, *_: torch.Tensor) -> torch.Tensor:
        ctx.block = block
        ctx.save_for_backward(x)
        return block(x)

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
        x = ctx.saved_tensors[0].detach().requires_grad_()
        with torch.enable_grad():
            y = ctx.block(x)
        return None, *torch.autograd.grad(y, [x, *ctx.block.parameters()], grad)


def _without_early_stop(block: nn.Module, x: torch.Tensor) -> torch.Tensor:
    with set_checkpoint_early_stop(False):
        return checkpoint(block, x, use_reentrant=False)


def _selective(block: nn.Module, x: torch.Tensor) -> torch.Tensor:
    keep = [torch.ops.aten.addmm.default]
    return checkpoint(block, x, use_reentrant=False, context_fn=lambda: create_selective_checkpoint_contexts(keep))


def _hooks(block: nn.Module, x: torch.Tensor) -> torch.Tensor:
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t.half(), lambda t: t.float()):
        return block(x)


def _autocast(block: nn.Module, x: torch.Tensor) -> torch.Tensor:
    with torch.autocast("cpu", torch.bfloat16):
        return checkpoint(block, x, use_reentrant=False)


_RUN: dict[str, Callable[[nn.Module, torch.Tensor], torch.Tensor]] = {
    "plain": lambda block, x: block(x),
    "checkpoint": lambda block, x: checkpoint(block, x, use_reentrant=False),
    "checkpoint without early stop": _without_early_stop,
    "reentrant": lambda block, x: checkpoint(block, x, use_reentrant=True),
    "selective": _selective,
    "function": lambda block, x: Replay.apply(block, x, *block.parameters()),
    "hooks": _hooks,
    "autocast": _autocast,
}
_KINDS: dict[str, tuple[type[nn.Module], tuple[int, ...]]] = {
    "mlp": (Mlp, (BATCH, WIDTH)),
    "convolution": (Convolution, (2, 4, 16, 16)),
    "attention": (Attention, (BATCH, WIDTH)),
}


class Stack(nn.Module):
    def __init__(self, kind: type[nn.Module], how: str) -> None:
        super().__init__()
        self.blocks, self.how = nn.ModuleList(kind() for _ in range(BLOCKS)), how

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for block in self.blocks:
            x = _RUN[self.how](block, x)
        return x.float().square().mean()


def blocks(how: str, kind: str = "mlp", optimiser: Any = None) -> Program:
    """Six blocks of one kind, run in one of `WAYS`."""
    torch.manual_seed(0)
    cls, shape = _KINDS[kind]
    return _program(Stack(cls, how), torch.randn(shape, requires_grad=True), optimiser)


def blocks_forward_flops() -> int:
    """Two products of 64 × 32 × 128 in each of six blocks."""
    return BLOCKS * 2 * (2 * BATCH * WIDTH * 4 * WIDTH)


def linear_stack(depth: int, batch: int, width: int, relu: bool = False, optimiser: Any = None) -> Program:
    layers = [layer for _ in range(depth) for layer in (nn.Linear(width, width, bias=False), *[nn.ReLU()] * relu)]
    return _program(nn.Sequential(*layers, _Sum()), torch.ones(batch, width), optimiser)


def activations() -> Program:
    """One operator a module, so that a module's name cannot be right by accident."""
    layers = {"first": nn.Sigmoid(), "second": nn.Tanh(), "last": _Sum()}
    return _program(nn.Sequential(OrderedDict(layers)), torch.ones(256, requires_grad=True), None)


def wide_convolution() -> Program:
    torch.manual_seed(0)
    layers = nn.Sequential(nn.Conv2d(16, 48, 5, padding=2), nn.ReLU(), nn.Conv2d(48, 16, 5, padding=2), _Sum())
    return _program(layers, torch.ones(2, 16, 48, 48), None)


def in_one_piece(program: Program) -> Program:
    def step() -> None:
        for _, function in program.phases:
            function()

    return Program([("step", step)], program.observe, modules=program.modules, inputs=program.inputs)


class _Sum(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x.sum()


def _program(model: nn.Module, x: torch.Tensor, optimiser: Any) -> Program:
    chosen = optimiser(model.parameters(), lr=0.1) if optimiser else None
    losses: list[torch.Tensor] = []
    phases: list[tuple[str, Callable[[], Any]]] = [
        ("forward", lambda: losses.append(model(x))),
        ("backward", lambda: losses[0].backward()),
    ]
    if chosen:
        phases.append(("optimiser", chosen.step))
    return Program(phases, dict, modules=model, inputs=[x], optimiser=chosen)
