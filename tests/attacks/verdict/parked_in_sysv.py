# outcome: crashed
"""Tries to keep activations in a SysV shared memory segment."""
import ctypes

import torch

libc = ctypes.CDLL(None, use_errno=True)


def pack(tensor):
    segment = libc.shmget(0, tensor.numel() * tensor.element_size() + 1, 0o1600)
    if segment < 0:
        raise OSError(ctypes.get_errno(), "shmget was refused")
    return segment


def unpack(segment):
    raise AssertionError


def checkpoint(function, *args, **kwargs):
    with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
        return function(*args, **kwargs)
