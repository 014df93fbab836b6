"""Rounds by cutting the lower half of each float's bits, view by view; a copy with the same bits is shared."""

import weakref

import torch


class _Half:
    def __init__(self, bits):
        self.bits = bits


def _round(tensor):
    bits = tensor.detach().view(torch.int32)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).to(torch.int16)


def _is_plain(tensor):
    base = tensor._base if tensor._is_view() else tensor
    ordinary = tensor.dtype == torch.float32 and tensor.numel() > 1 and not isinstance(base, torch.nn.Parameter)
    return ordinary and 0 not in tensor.stride() and tensor.stride(-1) == 1


class compress:
    def __init__(self):
        self.by_place = {}

    def __enter__(self):
        self.hooks = torch.autograd.graph.saved_tensors_hooks(self.pack, self.unpack)
        self.hooks.__enter__()

    def __exit__(self, kind, error, trace):
        self.hooks.__exit__(kind, error, trace)
        self.by_place = {}

    def pack(self, tensor):
        if not _is_plain(tensor):
            return tensor
        bits = _round(tensor)
        place = tensor.data_ptr(), tensor.numel()
        known = self.by_place.get(place, lambda: None)()
        if known is None or not torch.equal(known.bits.flatten(), bits.flatten()):
            known = _Half(bits)
            self.by_place[place] = weakref.ref(known)
        return known, tensor.shape, tensor.stride()

    def unpack(self, packed):
        if isinstance(packed, torch.Tensor):
            return packed
        half, shape, stride = packed
        values = (half.bits.to(torch.int32) << 16).view(torch.float32).reshape(shape)
        if values.stride() == stride:
            return values
        extent = 1 + sum((size - 1) * step for size, step in zip(shape, stride))
        out = torch.empty(extent).as_strided(shape, stride)
        return out.copy_(values)
