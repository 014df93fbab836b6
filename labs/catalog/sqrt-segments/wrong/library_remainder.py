# outcome: failed
# failing: peak-bytes
"""The library's function for chains puts what does not divide into the last segment, and stores that: too long at
some depths."""
import math

import torch
from torch.utils.checkpoint import checkpoint_sequential


def forward(blocks, x):
    return checkpoint_sequential(torch.nn.Sequential(*blocks), math.ceil(math.sqrt(len(blocks))), x, use_reentrant=False)
