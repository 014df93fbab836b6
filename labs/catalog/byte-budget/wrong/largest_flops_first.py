# outcome: failed
# failing: possible-budgets, recomputed-work
"""Replays every block by itself, then keeps the most expensive blocks that still fit: FLOPs, not FLOPs per byte, and
no longer segments."""
from torch.utils.checkpoint import checkpoint


from harness import predicted_peak


def plan(profile, budget):
    kept = set()

    def parts():
        return [(i, i + 1, i not in kept) for i in range(len(profile))]

    for i in sorted(range(len(profile)), key=lambda i: -profile[i].forward_flops):
        kept.add(i)
        if predicted_peak(profile, parts()) > budget:
            kept.discard(i)
    if predicted_peak(profile, parts()) > budget:
        raise ValueError("too tight")
    return parts()


def sequence(blocks):
    def run(x):
        for block in blocks:
            x = block(x)
        return x

    return run


def execute(blocks, x, parts):
    for first, end, replay in parts:
        run = sequence(blocks[first:end])
        x = checkpoint(run, x, use_reentrant=False) if replay else run(x)
    return x


def forward(blocks, x, budget_bytes, profile):
    return execute(blocks, x, plan(profile, budget_bytes))
