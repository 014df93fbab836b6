# outcome: refused
# mode: submit
"""Keeps activations in memory from the C library's malloc."""
import ctypes

import torch

libc = ctypes.CDLL(None)
libc.malloc.restype = ctypes.c_void_p
libc.malloc.argtypes = [ctypes.c_size_t]
libc.free.argtypes = [ctypes.c_void_p]

def raw(tensor):
    return tensor.detach().contiguous().reshape(-1).view(torch.uint8).numpy().tobytes()


def back(data, like):
    dtype, shape = like
    return torch.frombuffer(bytearray(data), dtype=dtype).reshape(shape)


def pack(tensor):
    data = raw(tensor)
    address = libc.malloc(len(data))
    ctypes.memmove(address, data, len(data))
    return address, len(data), (tensor.dtype, tensor.shape)


def unpack(packed):
    address, length, like = packed
    found = back(ctypes.string_at(address, length), like)
    return found


def checkpoint(function, *args, **kwargs):
    with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
        return function(*args, **kwargs)
