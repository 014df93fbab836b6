# outcome: failed
# failing: recomputed-work
"""Checkpoints the attention module: the scores come back, and the projection to queries, keys and values with them."""
from torch.utils.checkpoint import checkpoint


def forward(blocks, x):
    for block in blocks:
        x = x + checkpoint(block.attention, block.norm1(x), use_reentrant=False)
        x = x + block.mlp(block.norm2(x))
    return x
