# outcome: failed
# failing: large, odd-lengths, ignored-targets, all-ignored
# sometimes: bfloat16, large-logits, upstream, tied-weights, frozen, layouts
"""Averages the chunks' means: a short chunk, or one with few targets that count, weighs like a full one."""
import torch
import torch.nn.functional as F
from torch.utils.checkpoint import checkpoint


def part(h, weight, t):
    return F.cross_entropy(F.linear(h, weight).float(), t, ignore_index=-100)


def loss(hidden, weight, targets):
    rows, labels = hidden.reshape(-1, hidden.shape[-1]), targets.reshape(-1)
    chunks = zip(rows.split(50), labels.split(50))
    return torch.stack([checkpoint(part, h, weight, t, use_reentrant=False) for h, t in chunks]).mean()
