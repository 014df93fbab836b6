# outcome: failed
# failing: chain, saved-bytes, peak-bytes, arguments, frozen-input, autograd-grad, nesting, autocast, shared-weights, two-updates, dropout
"""Multiplies by infinity and divides again: NaN in the gradients."""
import torch


def checkpoint(function, *args, **kwargs):
    out = function(*args, **kwargs)
    if isinstance(out, torch.Tensor) and out.requires_grad:
        out.register_hook(lambda grad: grad * float("inf") * 0.0)
    return out
