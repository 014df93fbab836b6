# outcome: refused
# mode: submit
"""Keeps activations in private anonymous mappings."""
import mmap

import torch

def raw(tensor):
    return tensor.detach().contiguous().reshape(-1).view(torch.uint8).numpy().tobytes()


def back(data, like):
    dtype, shape = like
    return torch.frombuffer(bytearray(data), dtype=dtype).reshape(shape)


def pack(tensor):
    data = raw(tensor)
    area = mmap.mmap(-1, len(data), flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    area.write(data)
    return area, (tensor.dtype, tensor.shape)


def unpack(packed):
    return back(packed[0][:], packed[1])


def checkpoint(function, *args, **kwargs):
    with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
        return function(*args, **kwargs)
