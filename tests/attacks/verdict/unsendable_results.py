# outcome: crashed
"""Returns sparse, quantised and meta tensors, which cannot be sent."""
import harness
import torch

harness.gradients = lambda module, prefix="": {"a": torch.eye(3).to_sparse(), "b": torch.empty(3, device="meta")}


def checkpoint(function, *args, **kwargs):
    return function(*args, **kwargs)
