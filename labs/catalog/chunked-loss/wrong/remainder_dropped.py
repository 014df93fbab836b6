# outcome: failed
# failing: large, odd-lengths, ignored-targets, bfloat16, large-logits, upstream, tied-weights, frozen, layouts
"""Walks over whole chunks only: the last rows never count, and fewer rows than a chunk are none at all."""
import torch.nn.functional as F
from torch.utils.checkpoint import checkpoint


def part(h, weight, t):
    return F.cross_entropy(F.linear(h, weight).float(), t, ignore_index=-100, reduction="sum")


def loss(hidden, weight, targets):
    rows, labels = hidden.reshape(-1, hidden.shape[-1]), targets.reshape(-1)
    total = 0.0
    for i in range(len(labels) // 64):
        chunk = slice(64 * i, 64 * (i + 1))
        total = total + checkpoint(part, rows[chunk], weight, labels[chunk], use_reentrant=False)
    return total / (labels != -100).sum().clamp(min=1)
