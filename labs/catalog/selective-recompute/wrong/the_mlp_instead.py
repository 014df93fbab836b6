# outcome: failed
# failing: peak-bytes, recomputed-work
"""Checkpoints the part with the most parameters: much work again, and few of the bytes."""
from torch.utils.checkpoint import checkpoint


def forward(blocks, x):
    for block in blocks:
        x = x + block.attention(block.norm1(x))
        x = x + checkpoint(block.mlp, block.norm2(x), use_reentrant=False)
    return x
