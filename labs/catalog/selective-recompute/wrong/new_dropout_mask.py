# outcome: failed
# failing: stack, dropout, autograd-grad, shared, evaluation
"""The random state is not preserved: the replay draws another dropout mask."""
from torch.utils.checkpoint import checkpoint


def forward(blocks, x):
    for block in blocks:
        q, k, v = block.attention.split(block.norm1(x))
        out = checkpoint(block.attention.core, q, k, v, use_reentrant=False, preserve_rng_state=False)
        x = x + block.attention.merge(out)
        x = x + block.mlp(block.norm2(x))
    return x
