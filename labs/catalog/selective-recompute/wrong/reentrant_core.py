# outcome: crashed
# failing: autograd-grad
"""The reentrant variant: its replay calls backward by itself, which torch.autograd.grad does not allow."""
from torch.utils.checkpoint import checkpoint


def forward(blocks, x):
    for block in blocks:
        q, k, v = block.attention.split(block.norm1(x))
        out = checkpoint(block.attention.core, q, k, v, use_reentrant=True)
        x = x + block.attention.merge(out)
        x = x + block.mlp(block.norm2(x))
    return x
