# outcome: failed
# failing: peak-bytes
"""Recomputes the scores of every second block only."""
from torch.utils.checkpoint import checkpoint


def forward(blocks, x):
    for number, block in enumerate(blocks):
        q, k, v = block.attention.split(block.norm1(x))
        core = block.attention.core
        out = checkpoint(core, q, k, v, use_reentrant=False) if number % 2 else core(q, k, v)
        x = x + block.attention.merge(out)
        x = x + block.mlp(block.norm2(x))
    return x
