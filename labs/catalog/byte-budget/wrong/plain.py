# outcome: failed
# failing: within-budget, impossible-budget
"""Ignores the budget."""
def forward(blocks, x, budget_bytes, profile):
    for block in blocks:
        x = block(x)
    return x
