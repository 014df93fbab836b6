# outcome: crashed
# failing: chain, generators, python-and-numpy, batchnorm, buffers, attributes, cache, router, autocast, nesting, order, evaluation
"""The library's checkpoint: torch's own stream is put back, and nothing else is."""

from torch.utils.checkpoint import checkpoint as library


def checkpoint(function, *args, **kwargs):
    return library(function, *args, use_reentrant=False, **kwargs)
