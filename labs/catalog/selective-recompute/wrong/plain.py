# outcome: failed
# failing: peak-bytes
"""Keeps everything."""


def forward(blocks, x):
    for block in blocks:
        x = block(x)
    return x
