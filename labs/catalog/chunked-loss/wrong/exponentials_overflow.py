# outcome: failed
# failing: large-logits
"""Takes the logarithm of a sum of exponentials as it is written."""
from torch.nn.functional import linear
from torch.utils.checkpoint import checkpoint


def part(h, weight, t):
    logits = linear(h, weight).float()
    kept = t != -100
    picked = logits.gather(1, t.clamp(min=0)[:, None])[:, 0]
    return ((logits.exp().sum(1).log() - picked) * kept).sum()


def loss(hidden, weight, targets):
    rows, labels = hidden.reshape(-1, hidden.shape[-1]), targets.reshape(-1)
    total = 0.0
    for h, t in zip(rows.split(64), labels.split(64)):
        total = total + checkpoint(part, h, weight, t, use_reentrant=False)
    return total / (labels != -100).sum().clamp(min=1)
