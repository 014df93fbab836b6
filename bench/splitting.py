"""Transformer blocks cut over four ranks by columns and rows; between the cuts, tokens whole or shared out."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from bench import ranks
from bench.ranks import Ring
from bench.stacks import drawn, numbers, update
from grader.meter import Metered

TOKENS, SEQUENCES, WIDTH, HEADS, BLOCKS = 128, 4, 128, 4, 4


class Enter(torch.autograd.Function):
    """Whole tokens into a cut region: nothing to send in forward, a sum over ranks in backward."""

    @staticmethod
    def forward(ctx: Any, ring: Ring, x: Tensor) -> Tensor:
        ctx.ring = ring
        return x.view_as(x)

    @staticmethod
    def backward(ctx: Any, *grad: Tensor) -> tuple[None, Tensor]:
        return None, ctx.ring.all_reduce(grad[0])


class Leave(torch.autograd.Function):
    """Partial sums out of a cut region: a sum over ranks in forward, nothing to send in backward."""

    @staticmethod
    def forward(ctx: Any, ring: Ring, x: Tensor) -> Tensor:
        return ring.all_reduce(x)

    @staticmethod
    def backward(ctx: Any, *grad: Tensor) -> tuple[None, Tensor]:
        return None, grad[0]


class LeaveScattered(torch.autograd.Function):
    """Partial sums out of a cut region, each rank taking its own tokens."""

    @staticmethod
    def forward(ctx: Any, ring: Ring, x: Tensor) -> Tensor:
        ctx.ring = ring
        return ring.reduce_scatter(x)

    @staticmethod
    def backward(ctx: Any, *grad: Tensor) -> tuple[None, Tensor]:
        return None, ctx.ring.all_gather(grad[0])


class GatheredLinear(torch.autograd.Function):
    """A column-split matrix on all tokens, of which only this rank's share is kept: backward gathers them again."""

    @staticmethod
    def forward(ctx: Any, ring: Ring, share: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
        ctx.ring = ring
        ctx.save_for_backward(share, weight)
        return functional.linear(ring.all_gather(share), weight, bias)

    @staticmethod
    def backward(ctx: Any, *grad: Tensor) -> tuple[None, Tensor, Tensor, Tensor]:
        share, weight = ctx.saved_tensors
        rows, whole = grad[0].flatten(0, 1), ctx.ring.all_gather(share).flatten(0, 1)
        grad_weight, grad_bias = rows.t() @ whole, rows.sum(0)
        return None, ctx.ring.reduce_scatter(grad[0] @ weight), grad_weight, grad_bias


class SplitBlock(nn.Module):
    """One rank's part of a pre-norm block: its heads and its hidden units; the norms are on every rank."""

    def __init__(self, ring: Ring, scattered: bool) -> None:
        super().__init__()
        self.ring, self.scattered, self.heads = ring, scattered, HEADS // ring.ranks
        self.norm1, self.norm2 = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.qkv, self.out = nn.Linear(WIDTH, 3 * WIDTH // ring.ranks), self._rows(WIDTH // ring.ranks)
        self.up, self.down = nn.Linear(WIDTH, 4 * WIDTH // ring.ranks), self._rows(4 * WIDTH // ring.ranks)

    @staticmethod
    def _rows(inner: int) -> nn.Linear:
        return nn.Linear(inner, WIDTH, bias=False)

    def enter(self, linear: nn.Linear, x: Tensor) -> Tensor:
        if self.scattered:
            return GatheredLinear.apply(self.ring, x, linear.weight, linear.bias)
        return linear(Enter.apply(self.ring, x))

    def leave(self, partial: Tensor) -> Tensor:
        return (LeaveScattered if self.scattered else Leave).apply(self.ring, partial)

    def core(self, qkv_SB3K: Tensor) -> Tensor:
        S, B, K = qkv_SB3K.shape[0], qkv_SB3K.shape[1], WIDTH // HEADS
        q, k, v = qkv_SB3K.view(S, B, 3, self.heads, K).permute(2, 1, 3, 0, 4)
        y_BHSK = ((q @ k.transpose(-2, -1)) * K**-0.5).softmax(-1) @ v
        return y_BHSK.permute(2, 0, 1, 3).reshape(S, B, self.heads * K)

    def forward(self, x: Tensor) -> Tensor:
        x = x + self.leave(self.out(self.core(self.enter(self.qkv, self.norm1(x)))))
        return x + self.leave(self.down(functional.gelu(self.enter(self.up, self.norm2(x)))))


def stack(ring: Ring, scattered: bool, blocks: int = BLOCKS) -> tuple[Metered, int]:
    """Meter an update of a stack; return the run and the bytes that this rank sent in it.

    Ranks hold parts of the same matrices, drawn in the same order, so that both ways compute the same.
    """
    torch.manual_seed(ring.rank)
    modules = nn.ModuleList(SplitBlock(ring, scattered) for _ in range(blocks))
    torch.manual_seed(99)
    x_SBD = torch.randn(TOKENS, SEQUENCES, WIDTH)
    own_SBD = x_SBD.chunk(ring.ranks)[ring.rank].clone() if scattered else x_SBD

    def loss() -> Tensor:
        y = own_SBD
        for block in modules:
            y = block(y)
        return y.square().sum() / x_SBD.numel()

    ring.sent_bytes = 0
    run = update(modules, [own_SBD], loss)
    return run, ring.sent_bytes // 2  # a warm-up update, and the metered one


def check(ring: Ring) -> float:
    """Return the largest relative difference of a matrix's gradient between the two ways."""
    found = []
    for scattered in (False, True):
        torch.manual_seed(ring.rank)
        block = SplitBlock(ring, scattered)
        torch.manual_seed(99)
        x_SBD = torch.randn(TOKENS, SEQUENCES, WIDTH)
        block(x_SBD.chunk(ring.ranks)[ring.rank] if scattered else x_SBD).square().sum().backward()
        found.append([module.weight.grad for module in (block.qkv, block.out, block.up, block.down)])
    pairs = zip(*found, strict=True)
    return max(float((one - other).norm() / one.norm()) for one, other in pairs)


def work(ring: Ring) -> dict[str, Any]:
    whole, whole_sent = stack(ring, scattered=False)
    shared, shared_sent = stack(ring, scattered=True)
    fewer = {scattered: stack(ring, scattered, BLOCKS // 2)[0].saved_bytes for scattered in (False, True)}
    return {
        "timelines": drawn({"tokens shared out": shared, "tokens whole": whole}),
        "peak": shared.peak,
        "error": check(ring),
        "numbers": {
            **numbers("whole", whole),
            **numbers("shared", shared),
            "whole_sent_bytes": whole_sent,
            "shared_sent_bytes": shared_sent,
            "whole_block_saved_bytes": (whole.saved_bytes - fewer[False]) // (BLOCKS - BLOCKS // 2),
            "shared_block_saved_bytes": (shared.saved_bytes - fewer[True]) // (BLOCKS - BLOCKS // 2),
            "shared_saved_of_whole_fraction": shared.saved_bytes / whole.saved_bytes,
        },
    }


def sequence_parallel() -> dict[str, Any]:
    """An update of blocks under tensor parallelism, without and with sequence parallelism, seen from one rank."""
    found = ranks.run(work)
    if max(each["error"] for each in found) > 1e-5:
        raise AssertionError("the two ways have different gradients")
    if any(each["numbers"] != found[0]["numbers"] for each in found):
        raise AssertionError("the ranks hold or send different amounts")
    return {
        "title": f"Rank 0 of {ranks.RANKS}: one update of {BLOCKS} transformer blocks cut four ways, width {WIDTH}, "
        f"{HEADS} heads, {SEQUENCES} sequences of {TOKENS} tokens, fp32",
        **{name: found[0][name] for name in ("timelines", "peak", "numbers")},
    }
