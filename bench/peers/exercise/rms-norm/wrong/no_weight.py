# outcome: failed
# failing: matrix, sequences, one-row, odd-sizes, large-numbers, zeros
"""Leaves the weight out: it gets no gradient."""

import torch


def rms_norm(x, weight, eps):
    return x * torch.rsqrt((x * x).mean(-1, keepdim=True) + eps)
