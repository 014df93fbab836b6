# outcome: failed
# failing: within-budget, recomputed-work, ample-budget, impossible-budget
"""Checkpoints every block, whatever the budget says."""
from torch.utils.checkpoint import checkpoint


def forward(blocks, x, budget_bytes, profile):
    for block in blocks:
        x = checkpoint(block, x, use_reentrant=False)
    return x
