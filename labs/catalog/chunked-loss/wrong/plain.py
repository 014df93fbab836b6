# outcome: failed
# failing: peak-bytes
"""All logits at once."""
import torch.nn.functional as F


def loss(hidden, weight, targets):
    logits = F.linear(hidden.reshape(-1, hidden.shape[-1]), weight).float()
    labels = targets.reshape(-1)
    return F.cross_entropy(logits, labels, ignore_index=-100, reduction="sum") / (labels != -100).sum().clamp(min=1)
