# outcome: crashed
"""Writes activations into pipes."""
import os

import torch

def raw(tensor):
    return tensor.detach().contiguous().reshape(-1).view(torch.uint8).numpy().tobytes()


def back(data, like):
    dtype, shape = like
    return torch.frombuffer(bytearray(data), dtype=dtype).reshape(shape)


def pack(tensor):
    data = raw(tensor)
    pipes = []
    for at in range(0, len(data), 65536):
        reader, writer = os.pipe()
        os.write(writer, data[at : at + 65536])
        pipes.append((reader, writer))
    return pipes, (tensor.dtype, tensor.shape)


def unpack(packed):
    return back(b"".join(os.read(reader, 65536) for reader, _ in packed[0]), packed[1])


def checkpoint(function, *args, **kwargs):
    with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
        return function(*args, **kwargs)
