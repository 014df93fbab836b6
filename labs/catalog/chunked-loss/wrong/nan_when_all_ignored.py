# outcome: failed
# failing: all-ignored
"""Divides by the number of targets that count, which can be none."""
import torch.nn.functional as F
from torch.utils.checkpoint import checkpoint


def part(h, weight, t):
    return F.cross_entropy(F.linear(h, weight).float(), t, ignore_index=-100, reduction="sum")


def loss(hidden, weight, targets):
    rows, labels = hidden.reshape(-1, hidden.shape[-1]), targets.reshape(-1)
    total = 0.0
    for h, t in zip(rows.split(64), labels.split(64)):
        total = total + checkpoint(part, h, weight, t, use_reentrant=False)
    return total / (labels != -100).sum()
