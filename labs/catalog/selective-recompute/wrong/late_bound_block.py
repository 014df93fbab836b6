# outcome: crashed
# failing: stack, masks, dropout, sizes, frozen-input, autograd-grad, autocast, shared, evaluation, recomputed-work
"""The replay looks the loop variable up when backward runs: by then it is the last block for all of them."""
from torch.utils.checkpoint import checkpoint


def forward(blocks, x):
    for block in blocks:
        x = checkpoint(lambda h: block(h), x, use_reentrant=False)
    return x
