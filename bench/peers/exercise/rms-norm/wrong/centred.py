# outcome: failed
# failing: matrix, sequences, one-row, odd-sizes, large-numbers, zeros
"""Takes the mean away first, as LayerNorm does."""

import torch


def rms_norm(x, weight, eps):
    centred = x - x.mean(-1, keepdim=True)
    return centred * torch.rsqrt(centred.square().mean(-1, keepdim=True) + eps) * weight
