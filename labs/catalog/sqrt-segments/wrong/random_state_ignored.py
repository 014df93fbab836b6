# outcome: failed
# failing: dropout
"""Good segments whose replay draws new dropout masks."""
import math

import torch
from torch.utils.checkpoint import checkpoint


def forward(blocks, x):
    length = math.isqrt(len(blocks))
    for first in range(0, len(blocks), length):
        segment = torch.nn.Sequential(*blocks[first : first + length])
        x = checkpoint(segment, x, use_reentrant=False, preserve_rng_state=False)
    return x
