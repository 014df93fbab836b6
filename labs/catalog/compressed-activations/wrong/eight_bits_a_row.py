# outcome: failed
# failing: chain, scales
"""One byte a number and a scale for each row: small channels vanish beside large ones."""

import contextlib

import torch


def _quantise(tensor):
    scale = tensor.abs().amax(dim=-1, keepdim=True).clamp_min(1e-30) / 127
    return (tensor / scale).round().to(torch.int8), scale


def _kept_as_it_is(tensor):
    owner = tensor if tensor._base is None else tensor._base
    ordinary = tensor.dtype == torch.float32 and tensor.numel() > 1
    return not ordinary or isinstance(owner, torch.nn.Parameter) or 0 in tensor.stride()


@contextlib.contextmanager
def compress():
    def pack(tensor):
        if _kept_as_it_is(tensor):
            return tensor
        return *_quantise(tensor.detach()), tensor.shape, tensor.stride()

    def unpack(packed):
        if isinstance(packed, torch.Tensor):
            return packed
        numbers, scale, shape, stride = packed
        extent = 1 + sum((size - 1) * step for size, step in zip(shape, stride))
        out = torch.empty(extent).as_strided(shape, stride)
        return out.copy_(numbers * scale)

    with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
        yield
