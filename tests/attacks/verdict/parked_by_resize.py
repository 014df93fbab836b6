# outcome: failed|refused
# mode: submit
# note: bfloat16 has no numpy dtype: the autocast case fails or crashes as well
"""Empties each saved storage with resize_ and fills it again from numpy when it is wanted."""
import torch

def pack(tensor):
    return tensor.detach().clone().numpy(), tensor.dtype


def unpack(packed):
    return torch.from_numpy(packed[0])


def checkpoint(function, *args, **kwargs):
    with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
        return function(*args, **kwargs)
