# outcome: refused
"""Sends a result larger than a message may be."""
import harness
import torch

honest = harness.gradients
harness.gradients = lambda module, prefix="": {**honest(module, prefix), "more": torch.ones(20_000_000)}


def checkpoint(function, *args, **kwargs):
    return function(*args, **kwargs)
