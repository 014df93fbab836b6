# outcome: failed
"""Multiplies gradients by infinity."""
import torch


def checkpoint(function, *args, **kwargs):
    out = function(*args, **kwargs)
    if isinstance(out, torch.Tensor) and out.requires_grad:
        out.register_hook(lambda grad: grad * float("inf"))
    return out
