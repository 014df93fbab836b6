# outcome: failed
# failing: saved-bytes, parameters, other-kinds, views
"""Rounds whatever arrives: indices and parameters too."""

import contextlib

import torch


@contextlib.contextmanager
def compress():
    recent = []

    def pack(tensor):
        for known, low in recent:
            if known.data_ptr() == tensor.data_ptr() and known.shape == tensor.shape:
                return low, tensor.dtype
        low = tensor.detach().to(torch.bfloat16)
        recent[:] = [*recent[-1:], (tensor.detach(), low)]
        return low, tensor.dtype

    def unpack(packed):
        low, dtype = packed
        return low.to(dtype)

    with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
        yield
