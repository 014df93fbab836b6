# outcome: failed
# failing: recomputed-work
"""Checkpoints each block inside each checkpointed segment: few bytes, and two extra forwards."""
import math

from torch.utils.checkpoint import checkpoint


def forward(blocks, x):
    length = math.isqrt(len(blocks))
    for first in range(0, len(blocks), length):
        segment = blocks[first : first + length]

        def run(x, segment=segment):
            for block in segment:
                x = checkpoint(block, x, use_reentrant=False)
            return x

        x = checkpoint(run, x, use_reentrant=False)
    return x
