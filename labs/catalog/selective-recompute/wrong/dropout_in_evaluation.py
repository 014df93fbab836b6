# outcome: failed
# failing: evaluation
"""Writes the core again by hand, with dropout that is never off."""
import torch
import torch.nn.functional as F
from torch.utils.checkpoint import checkpoint


def core(q, k, v, mask, p):
    scores = q @ k.transpose(-2, -1) * q.shape[-1] ** -0.5
    if mask is not None:
        scores = scores.masked_fill(~mask, float("-inf"))
    return F.dropout(torch.softmax(scores, dim=-1), p) @ v


def forward(blocks, x):
    for block in blocks:
        attention = block.attention
        q, k, v = attention.split(block.norm1(x))
        out = checkpoint(core, q, k, v, attention.mask, attention.dropout, use_reentrant=False)
        x = x + attention.merge(out)
        x = x + block.mlp(block.norm2(x))
    return x
