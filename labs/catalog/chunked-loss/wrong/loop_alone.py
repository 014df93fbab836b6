# outcome: failed
# failing: peak-bytes
"""A loop over chunks, with autograd keeping the log-softmax of each."""
import torch.nn.functional as F


def loss(hidden, weight, targets):
    rows, labels = hidden.reshape(-1, hidden.shape[-1]), targets.reshape(-1)
    total = 0.0
    for h, t in zip(rows.split(64), labels.split(64)):
        total = total + F.cross_entropy(F.linear(h, weight).float(), t, ignore_index=-100, reduction="sum")
    return total / (labels != -100).sum().clamp(min=1)
