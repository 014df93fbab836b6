"""Sign and logarithm in an int16: the same relative error everywhere. The last few tensors kept are recognised again."""

import contextlib
from collections import deque

import torch

STEPS = 200.0  # per factor of two: 2**(1/400) is 0.17 % off at most
ZERO = -32768


def _encode(x):
    code = (torch.log2(x.abs()) * STEPS / 2).round_().clamp_(-16300, 16300)
    code = code * 2 + (x < 0)
    return torch.where(x == 0, ZERO, code).to(torch.int16)


def _decode(code):
    code = code.int()
    size = torch.exp2((code >> 1).float() * (2 / STEPS))
    size = torch.where(code & 1 == 1, -size, size)
    return torch.where(code == ZERO, 0.0, size)


def _dense(tensor):
    """The tensor's own elements without what expand() repeats."""
    short = tensor
    for dim, stride in enumerate(tensor.stride()):
        if stride == 0 and tensor.shape[dim] > 1:
            short = short.narrow(dim, 0, 1)
    return short


@contextlib.contextmanager
def compress():
    recent = deque(maxlen=2)

    def pack(tensor):
        root = tensor if tensor._base is None else tensor._base
        if tensor.dtype != torch.float32 or tensor.numel() < 2 or isinstance(root, torch.nn.Parameter):
            return tensor
        form = tensor.shape, tensor.stride()
        whole = tensor.is_contiguous()  # then any other shape of the same memory is the same numbers
        key = tensor.data_ptr(), tensor._version, tensor.numel(), whole or form
        for known, code, _ in recent:
            if known == key:
                return code, form
        code = _encode(_dense(tensor.detach()))
        recent.append((key, code, tensor.detach()))  # held, so that its address stays its own
        return code, form

    def unpack(packed):
        if isinstance(packed, torch.Tensor):
            return packed
        code, (shape, stride) = packed
        values = _decode(code)
        if values.is_contiguous() and values.numel() == shape.numel():
            values = values.view(shape)
            if values.stride() == stride:
                return values
        extent = 1 + sum((size - 1) * step for size, step in zip(shape, stride)) if 0 not in shape else 0
        out = torch.empty(extent).as_strided(values.shape, stride)
        out.copy_(values)
        return out.as_strided(shape, stride)

    try:
        with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
            yield
    finally:
        recent.clear()
