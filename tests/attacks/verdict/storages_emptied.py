# outcome: crashed|killed|failed
# note: forward still reads what was emptied: what torch does then is its business
"""Empties each saved storage with resize_ and fills it again when it is wanted."""
import torch


def pack(tensor):
    kept = tensor.detach().float().numpy().copy()
    tensor.untyped_storage().resize_(0)
    return tensor, kept


def unpack(packed):
    tensor, kept = packed
    tensor.untyped_storage().resize_(kept.nbytes)
    return tensor.copy_(torch.from_numpy(kept))


def checkpoint(function, *args, **kwargs):
    with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
        return function(*args, **kwargs)
