# outcome: crashed
# failing: frozen-input
"""The reentrant variant: no gradient at all where the input requires none."""
import math
import warnings

import torch
from torch.utils.checkpoint import checkpoint

warnings.simplefilter("ignore")


def forward(blocks, x):
    length = math.isqrt(len(blocks))
    for first in range(0, len(blocks), length):
        x = checkpoint(torch.nn.Sequential(*blocks[first : first + length]), x, use_reentrant=True)
    return x
