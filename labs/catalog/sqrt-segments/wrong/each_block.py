# outcome: failed
# failing: peak-bytes
"""Checkpoints every block by itself: the inputs of all of them stay, which grows with the depth."""
from torch.utils.checkpoint import checkpoint


def forward(blocks, x):
    for block in blocks:
        x = checkpoint(block, x, use_reentrant=False)
    return x
