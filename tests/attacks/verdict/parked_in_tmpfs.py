# outcome: crashed|refused|failed
# mode: submit
# note: the file system is full after 1 MiB: a short write shows as a wrong size, or raises
"""Writes activations to files in /tmp until it is full."""
import os
import tempfile

import torch

def raw(tensor):
    return tensor.detach().contiguous().reshape(-1).view(torch.uint8).numpy().tobytes()


def back(data, like):
    dtype, shape = like
    return torch.frombuffer(bytearray(data), dtype=dtype).reshape(shape)


def pack(tensor):
    fd, path = tempfile.mkstemp()
    os.write(fd, raw(tensor))
    os.close(fd)
    return path, (tensor.dtype, tensor.shape)


def unpack(packed):
    with open(packed[0], "rb") as file:
        return back(file.read(), packed[1])


def checkpoint(function, *args, **kwargs):
    with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
        return function(*args, **kwargs)
