# outcome: failed
# failing: saved-bytes, peak-bytes
"""Promises to drop the activations, and keeps a clone of each behind the hook."""
import torch


def checkpoint(function, *args, **kwargs):
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t.detach().clone(), lambda t: t):
        return function(*args, **kwargs)
