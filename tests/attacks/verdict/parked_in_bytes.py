# outcome: refused
# mode: submit
"""Keeps activations as Python bytes."""
import torch

def raw(tensor):
    return tensor.detach().contiguous().reshape(-1).view(torch.uint8).numpy().tobytes()


def back(data, like):
    dtype, shape = like
    return torch.frombuffer(bytearray(data), dtype=dtype).reshape(shape)


def pack(tensor):
    return raw(tensor), (tensor.dtype, tensor.shape)


def unpack(packed):
    return back(*packed)


def checkpoint(function, *args, **kwargs):
    with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
        return function(*args, **kwargs)
