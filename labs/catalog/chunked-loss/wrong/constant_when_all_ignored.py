# outcome: crashed
# failing: all-ignored
"""Returns a bare zero that is no part of the graph, so that backward has nowhere to go."""
import torch
import torch.nn.functional as F
from torch.utils.checkpoint import checkpoint


def part(h, weight, t):
    return F.cross_entropy(F.linear(h, weight).float(), t, ignore_index=-100, reduction="sum")


def loss(hidden, weight, targets):
    rows, labels = hidden.reshape(-1, hidden.shape[-1]), targets.reshape(-1)
    count = int((labels != -100).sum())
    if count == 0:
        return torch.tensor(0.0)
    total = 0.0
    for h, t in zip(rows.split(64), labels.split(64)):
        total = total + checkpoint(part, h, weight, t, use_reentrant=False)
    return total / count
