# outcome: failed
# failing: stack, masks, sizes, frozen-input, autograd-grad, autocast, shared, evaluation
"""Writes the core again by hand, without its mask."""
import torch
import torch.nn.functional as F
from torch.utils.checkpoint import checkpoint


def core(q, k, v, p):
    weights = torch.softmax(q @ k.transpose(-2, -1) * q.shape[-1] ** -0.5, dim=-1)
    return F.dropout(weights, p) @ v


def forward(blocks, x):
    for block in blocks:
        q, k, v = block.attention.split(block.norm1(x))
        p = block.attention.dropout if block.training else 0.0
        x = x + block.attention.merge(checkpoint(core, q, k, v, p, use_reentrant=False))
        x = x + block.mlp(block.norm2(x))
    return x
