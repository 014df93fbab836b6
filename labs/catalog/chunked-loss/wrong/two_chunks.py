# outcome: failed
# failing: peak-bytes
"""Checkpointed, but each chunk is half of all rows: its logits, log-softmax and gradients live at once."""
import torch.nn.functional as F
from torch.utils.checkpoint import checkpoint


def part(h, weight, t):
    return F.cross_entropy(F.linear(h, weight).float(), t, ignore_index=-100, reduction="sum")


def loss(hidden, weight, targets):
    rows, labels = hidden.reshape(-1, hidden.shape[-1]), targets.reshape(-1)
    size = (len(labels) + 1) // 2
    total = 0.0
    for h, t in zip(rows.split(size), labels.split(size)):
        total = total + checkpoint(part, h, weight, t, use_reentrant=False)
    return total / (labels != -100).sum().clamp(min=1)
