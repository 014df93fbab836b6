# outcome: crashed
# failing: chain-7, chain-16, chain-36, chain-50, chain-other, frozen-input, dropout
"""The function made in the loop looks its segment up when it runs: every replay runs the last segment."""
import math

from torch.utils.checkpoint import checkpoint


def forward(blocks, x):
    length = math.isqrt(len(blocks))
    for first in range(0, len(blocks), length):
        segment = blocks[first : first + length]

        def run(x):
            for block in segment:
                x = block(x)
            return x

        x = checkpoint(run, x, use_reentrant=False)
    return x
