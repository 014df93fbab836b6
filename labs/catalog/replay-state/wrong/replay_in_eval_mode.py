# outcome: crashed
# failing: chain, random-stream, generators, python-and-numpy, batchnorm, buffers, attributes, cache, router, autocast, nesting, order, evaluation
"""Protects running statistics by replaying in evaluation mode."""

from torch.utils.checkpoint import checkpoint as library


def checkpoint(function, *args, **kwargs):
    owner = getattr(function, "__self__", function)
    runs = 0

    def run(*args, **kwargs):
        nonlocal runs
        runs += 1
        if runs == 1:
            return function(*args, **kwargs)
        modes = [(module, module.training) for module in owner.modules()]
        owner.eval()
        try:
            return function(*args, **kwargs)
        finally:
            for module, mode in modes:
                module.training = mode

    return library(run, *args, use_reentrant=False, **kwargs)
