# outcome: failed
# failing: peak-bytes
"""Four segments whatever the depth: right for 16 blocks, too few for 36 and 50."""
import torch
from torch.utils.checkpoint import checkpoint


def forward(blocks, x):
    size = -(-len(blocks) // 4)
    for first in range(0, len(blocks), size):
        x = checkpoint(torch.nn.Sequential(*blocks[first : first + size]), x, use_reentrant=False)
    return x
