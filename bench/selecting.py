"""What to keep of a transformer block and what to redo: policies over one stack whose scores are most of its bytes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.utils.checkpoint import CheckpointPolicy, checkpoint, create_selective_checkpoint_contexts

from bench.stacks import Attention, Block, Forward, drawn, numbers, plain, segmented, selective, update
from grader.meter import Metered

BLOCKS, BATCH, TOKENS, WIDTH, HEADS = 6, 2, 256, 128, 4
aten = torch.ops.aten
WITH_WEIGHTS = {aten.addmm.default, aten.mm.default}


def keeping(policy: Callable[[Any, int], bool]) -> Forward:
    """Return a forward that checkpoints each block and keeps the outputs for which `policy(operator, nth)` says so.

    `nth` says how often that operator came before in the block: of the products with weights 0 to 3 are qkv, out, up
    and down; of the batched ones 0 is the scores and 1 their product with the values.
    """

    def contexts() -> Any:
        counts: Counter[tuple[bool, Any]] = Counter()

        def decide(context: Any, operator: Any, *_: Any, **__: Any) -> CheckpointPolicy:
            nth = counts[context.is_recompute, operator]
            counts[context.is_recompute, operator] += 1
            return CheckpointPolicy.MUST_SAVE if policy(operator, nth) else CheckpointPolicy.PREFER_RECOMPUTE

        return create_selective_checkpoint_contexts(decide)

    def forward(blocks: nn.ModuleList, x_BSD: Tensor) -> Tensor:
        for block in blocks:
            x_BSD = checkpoint(block, x_BSD, use_reentrant=False, context_fn=contexts)
        return x_BSD

    return forward


class FusedAttention(nn.Module):
    """The same attention through torch's fused kernel, which stores a log-sum-exp a row instead of the scores."""

    def __init__(self, inner: Attention) -> None:
        super().__init__()
        self.heads, self.qkv, self.out = inner.heads, inner.qkv, inner.out

    def forward(self, x_BSD: Tensor, selective: bool = False) -> Tensor:
        B, S, D = x_BSD.shape
        q, k, v = self.qkv(x_BSD).view(B, S, 3, self.heads, D // self.heads).permute(2, 0, 3, 1, 4)
        y_BHSK = functional.scaled_dot_product_attention(q, k, v)
        return self.out(y_BHSK.transpose(1, 2).reshape(B, S, D))


def ranked(operator: Any, nth: int) -> bool:
    """Keep what has a long inner dimension and is read again; the scores and the last product are neither."""
    return (operator in WITH_WEIGHTS and nth != 3) or (operator is aten.bmm.default and nth == 1)


def stack(forward: Forward, *, fused: bool = False, tokens: int = TOKENS) -> Metered:
    torch.manual_seed(0)
    made = [Block(WIDTH, HEADS) for _ in range(BLOCKS)]
    for block in made if fused else []:
        block.attention = FusedAttention(block.attention)  # type: ignore[assignment]
    blocks = nn.ModuleList(made)
    x_BSD = torch.randn(BATCH, tokens, WIDTH)
    return update(blocks, [x_BSD], lambda: forward(blocks, x_BSD).square().mean())


def selective_policies() -> dict[str, Any]:
    """One stack under eight policies, and two of them again at four times the tokens."""
    whole = stack(plain)
    runs = {
        "full": stack(segmented(BLOCKS)),
        "core": stack(selective),
        "weights": stack(keeping(lambda operator, nth: operator in WITH_WEIGHTS)),
        "three": stack(keeping(lambda operator, nth: operator in WITH_WEIGHTS and nth != 3)),
        "ranked": stack(keeping(ranked)),
        "products": stack(keeping(lambda operator, nth: operator in WITH_WEIGHTS or operator is aten.bmm.default)),
        "fused": stack(plain, fused=True),
        "fused_full": stack(segmented(BLOCKS), fused=True),
    }
    found = numbers("plain", whole) | {"plain_forward_flops": whole.flops_by_phase["forward"]}
    for name, run in runs.items():
        found |= numbers(name, run, whole)
        freed = whole.saved_bytes - run.saved_bytes
        found[f"{name}_saved_of_plain_fraction"] = run.saved_bytes / whole.saved_bytes
        found[f"{name}_flops_per_byte"] = run.replay_flops / freed
    long = stack(plain, tokens=4 * TOKENS)
    found |= numbers("long_plain", long) | numbers("long_core", stack(selective, tokens=4 * TOKENS), long)
    return {
        "title": f"{BLOCKS} transformer blocks, width {WIDTH}, {HEADS} heads, "
        f"{BATCH} sequences of {TOKENS} tokens, fp32",
        "timelines": drawn({"attention core replayed": runs["core"], "plain": whole}),
        "peak": runs["core"].peak,
        "numbers": found,
    }
