# outcome: crashed
# failing: chain-1, peak-bytes
"""At least two segments, also of a single block: checkpoint_sequential divides by a segment size of zero."""
import math

import torch
from torch.utils.checkpoint import checkpoint_sequential


def forward(blocks, x):
    segments = max(2, math.isqrt(len(blocks)))
    return checkpoint_sequential(torch.nn.Sequential(*blocks), segments, x, use_reentrant=False)
