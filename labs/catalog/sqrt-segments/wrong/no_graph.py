# outcome: crashed
# failing: chain-1, chain-7, chain-16, chain-36, chain-50, chain-other, frozen-input, dropout
"""Saves memory by not recording anything."""
import torch


def forward(blocks, x):
    with torch.no_grad():
        for block in blocks:
            x = block(x)
    return x
