"""Dropout under replay: who keeps the random state or the mask, what that takes, and what it costs to leave it out."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.utils.checkpoint import checkpoint

from bench.stacks import BATCH, TOKENS, WIDTH, Block, Forward, drawn, numbers, plain, segmented, update
from grader.meter import Metered

BLOCKS, RATE = 8, 0.1


def up_to_down(block: Block, x_BSD: Tensor) -> tuple[Tensor, Tensor]:
    """Return the stream after attention, and the MLP's result before its dropout and addition."""
    x_BSD = x_BSD + block.attention(block.norm1(x_BSD))
    return x_BSD, block.down(functional.gelu(block.up(block.norm2(x_BSD))))


def dropout_outside(blocks: nn.ModuleList, x_BSD: Tensor) -> Tensor:
    """Checkpoint each block up to its last product, and keep what dropout needs."""
    for block in blocks:
        x_BSD, y_BSD = checkpoint(up_to_down, block, x_BSD, use_reentrant=False)
        x_BSD = x_BSD + functional.dropout(y_BSD, RATE)
    return x_BSD


def without_the_state(blocks: nn.ModuleList, x_BSD: Tensor) -> Tensor:
    """Checkpoint each block and let its replay draw other masks."""
    for block in blocks:
        x_BSD = checkpoint(block, x_BSD, use_reentrant=False, preserve_rng_state=False)
    return x_BSD


def made() -> tuple[nn.ModuleList, Tensor]:
    torch.manual_seed(0)
    return nn.ModuleList(Block(dropout=RATE) for _ in range(BLOCKS)), torch.randn(BATCH, TOKENS, WIDTH)


def metered(forward: Forward) -> Metered:
    blocks, x_BSD = made()
    return update(blocks, [x_BSD], lambda: forward(blocks, x_BSD).square().mean())


def gradients(forward: Forward) -> list[Tensor]:
    """Return the gradients of one update from a fixed random state."""
    blocks, x_BSD = made()
    torch.manual_seed(1)
    forward(blocks, x_BSD).square().mean().backward()
    return [parameter.grad for parameter in blocks.parameters() if parameter.grad is not None]


def worst(ours: list[Tensor], plains: list[Tensor]) -> float:
    """Return the largest relative distance of any tensor of `ours`, by the norm of the plain one."""
    return max(((a - b).norm() / b.norm()).item() for a, b in zip(ours, plains, strict=True))


def replay_dropout() -> dict[str, Any]:
    """Eight blocks with dropout after the last product: random state kept, not kept, and the mask kept outside."""
    forwards: dict[str, Forward] = {
        "kept": segmented(BLOCKS),
        "stateless": without_the_state,
        "outside": dropout_outside,
    }
    whole, wanted = metered(plain), gradients(plain)
    runs = {name: metered(forward) for name, forward in forwards.items()}
    found = numbers("plain", whole)
    for name, run in runs.items():
        found |= numbers(name, run, whole)
        found[f"{name}_gradient_error_fraction"] = worst(gradients(forwards[name]), wanted)
    return {
        "title": f"{BLOCKS} transformer blocks with dropout, width {WIDTH}, {BATCH} sequences of {TOKENS} tokens, fp32",
        "timelines": drawn({"whole block replayed": runs["kept"], "dropout outside": runs["outside"]}),
        "peak": runs["kept"].peak,
        "numbers": found
        | {
            "state_bytes": torch.get_rng_state().nbytes,
            "mask_kept_bytes": (runs["outside"].saved_bytes - runs["kept"].saved_bytes) // BLOCKS,
            "element_bytes": BATCH * TOKENS * WIDTH * 4,
        },
    }
