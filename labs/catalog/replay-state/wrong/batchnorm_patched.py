# outcome: crashed
# failing: chain, generators, python-and-numpy, buffers, attributes, cache, router, autocast, nesting, order, evaluation
"""The well-known patch: batch norm keeps no statistics in the replay. Other state moves twice."""

from torch import nn
from torch.utils.checkpoint import checkpoint as library


def checkpoint(function, *args, **kwargs):
    owner = getattr(function, "__self__", function)
    norms = [module for module in owner.modules() if isinstance(module, nn.modules.batchnorm._BatchNorm)]
    runs = 0

    def run(*args, **kwargs):
        nonlocal runs
        runs += 1
        if runs == 1:
            return function(*args, **kwargs)
        kept = [(norm, norm.running_mean, norm.running_var, norm.num_batches_tracked) for norm in norms]
        for norm, mean, var, tracked in kept:
            norm.running_mean, norm.running_var = mean.clone(), var.clone()
            norm.num_batches_tracked = tracked.clone()
        try:
            return function(*args, **kwargs)
        finally:
            for norm, mean, var, tracked in kept:
                norm.running_mean, norm.running_var, norm.num_batches_tracked = mean, var, tracked

    return library(run, *args, use_reentrant=False, **kwargs)
