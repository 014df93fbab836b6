"""The small transformers that the figures meter, the ways of running them, and what a page needs of a metered run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.utils.checkpoint import checkpoint

from grader import meter, timeline
from grader.meter import Metered
from grader.program import Program

BATCH, TOKENS, WIDTH, HEADS, BLOCKS = 4, 128, 128, 4, 16
POINTS = 400
Loss = Callable[[], Tensor]
Forward = Callable[[nn.ModuleList, Tensor], Tensor]


class Attention(nn.Module):
    """Self-attention with its scores written out: s × s numbers per head exist and are saved."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)

    def core(self, q_BHSK: Tensor, k_BHSK: Tensor, v_BHSK: Tensor) -> Tensor:
        scores_BHSS = (q_BHSK @ k_BHSK.transpose(-2, -1)) * q_BHSK.shape[-1] ** -0.5
        return scores_BHSS.softmax(-1) @ v_BHSK

    def forward(self, x_BSD: Tensor, selective: bool = False) -> Tensor:
        B, S, D = x_BSD.shape
        q, k, v = self.qkv(x_BSD).view(B, S, 3, self.heads, D // self.heads).permute(2, 0, 3, 1, 4)
        y = checkpoint(self.core, q, k, v, use_reentrant=False) if selective else self.core(q, k, v)
        return self.out(y.transpose(1, 2).reshape(B, S, D))


class Block(nn.Module):
    """A pre-norm transformer block with an MLP of four times the width."""

    def __init__(self, width: int = WIDTH, heads: int = HEADS, dropout: float = 0.0) -> None:
        super().__init__()
        self.dropout = dropout
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.attention = Attention(width, heads)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x_BSD: Tensor, selective: bool = False) -> Tensor:
        x_BSD = x_BSD + self.attention(self.norm1(x_BSD), selective)
        y_BSD = self.down(functional.gelu(self.up(self.norm2(x_BSD))))
        return x_BSD + (functional.dropout(y_BSD, self.dropout) if self.dropout else y_BSD)


def plain(blocks: nn.ModuleList, x: Tensor) -> Tensor:
    for block in blocks:
        x = block(x)
    return x


def selective(blocks: nn.ModuleList, x: Tensor) -> Tensor:
    for block in blocks:
        x = block(x, selective=True)
    return x


def segmented(segments: int, *, last_plain: bool = False, **options: bool) -> Forward:
    """Return a forward that checkpoints runs of consecutive blocks, as equal as they come, longer ones first."""

    def forward(blocks: nn.ModuleList, x: Tensor) -> Tensor:
        base, longer = divmod(len(blocks), segments)
        sizes = [base + (index < longer) for index in range(segments)]
        return in_segments(blocks, x, sizes, last_plain=last_plain, **options)

    return forward


def in_segments(
    blocks: nn.ModuleList,
    x: Tensor,
    sizes: Sequence[int],
    *,
    last_plain: bool = False,
    early_stop: bool = True,
    reentrant: bool = False,
) -> Tensor:
    """Run consecutive blocks in checkpointed segments of the given sizes."""
    start = 0
    for index, size in enumerate(sizes):
        part = list(blocks)[start : start + size]
        start += size
        if last_plain and index == len(sizes) - 1:
            return run_part(part, x)
        x = checkpoint(run_part, part, x, use_reentrant=reentrant, early_stop=early_stop)
    return x


def run_part(part: Sequence[nn.Module], x: Tensor) -> Tensor:
    for block in part:
        x = block(x)
    return x


def update(modules: nn.Module, inputs: Sequence[Tensor], loss: Loss) -> Metered:
    """Meter one update with SGD after a warm-up update; gradients are allocated before and stay."""
    optimiser = torch.optim.SGD(modules.parameters(), lr=0.01)
    held: dict[str, Tensor] = {}

    def forward() -> None:
        held["loss"] = loss()

    def backward() -> None:
        held.pop("loss").backward()

    def step() -> None:
        optimiser.step()
        optimiser.zero_grad(set_to_none=False)

    phases = [("forward", forward), ("backward", backward), ("optimiser", step)]
    for _, phase in phases:
        phase()
    return meter.run(Program(phases, dict, modules=modules, inputs=inputs, optimiser=optimiser))


def stack(forward: Forward, blocks: int = BLOCKS, *, dropout: float = 0.0, input_grad: bool = False) -> Metered:
    """Meter a stack of transformer blocks under one way of running it."""
    torch.manual_seed(0)
    modules = nn.ModuleList(Block(dropout=dropout) for _ in range(blocks))
    x_BSD = torch.randn(BATCH, TOKENS, WIDTH, requires_grad=input_grad)
    return update(modules, [x_BSD], lambda: forward(modules, x_BSD).square().mean())


def drawn(runs: Mapping[str, Metered]) -> dict[str, Any]:
    """Return the runs' timelines with as many points as a page needs, extremes kept."""
    made = {}
    for name, run in runs.items():
        whole = run.timeline
        starts = [phase["start"] for phase in whole["phases"]]
        kept = timeline.thin(whole["total"], starts, POINTS)
        live = {kind: [values[point] for point in kept] for kind, values in whole["live"].items() if any(values)}
        made[name] = timeline.build([(phase["name"], phase["start"]) for phase in whole["phases"]], kept, live)
    return made


def numbers(prefix: str, run: Metered, whole: Metered | None = None) -> dict[str, Any]:
    """Return a run's figures under names that say their unit; with `whole`, the plain run, its shares of that."""
    made: dict[str, Any] = {
        f"{prefix}_saved_bytes": run.saved_bytes,
        f"{prefix}_peak_bytes": run.peak_bytes,
        f"{prefix}_step_flops": run.flops,
    }
    if whole is not None:
        forward = whole.flops_by_phase["forward"]
        made |= {
            f"{prefix}_replay_bytes": run.replay_bytes,
            f"{prefix}_peak_of_plain_fraction": run.peak_bytes / whole.peak_bytes,
            f"{prefix}_replayed_flops": run.replay_flops,
            f"{prefix}_replayed_of_forward_fraction": run.replay_flops / forward,
            f"{prefix}_extra_step_fraction": (run.flops - whole.flops) / whole.flops,
        }
    return made


SHAPE = f"{BLOCKS} transformer blocks, width {WIDTH}, {HEADS} heads, {BATCH} sequences of {TOKENS} tokens, fp32"
