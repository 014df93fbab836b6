# outcome: failed
# failing: saved-bytes, peak-bytes
"""Replays on a deep copy of the whole module: right, and a second set of weights for each call."""

import copy
import random

import numpy
import torch
from torch import nn


def _twin(value, memo):
    """Copy modules, lists, dicts and generators; share the tensors inside containers."""
    if isinstance(value, nn.Module):
        fields = [vars(module) for module in value.modules()]
        for entry in (entry for own in fields for name, entry in own.items() if not name.startswith("_")):
            if isinstance(entry, torch.Generator):
                memo[id(entry)] = entry.clone_state()
            elif isinstance(entry, (list, dict)):
                inside = entry if isinstance(entry, list) else entry.values()
                memo.update((id(t), t) for t in inside if isinstance(t, torch.Tensor))
        return copy.deepcopy(value, memo)
    if isinstance(value, torch.Generator):
        return memo.setdefault(id(value), value.clone_state())
    return value.copy() if isinstance(value, (list, dict)) else value


def _streams():
    return torch.get_rng_state(), random.getstate(), numpy.random.get_state()


def _set_streams(streams):
    torch.set_rng_state(streams[0])
    random.setstate(streams[1])
    numpy.random.set_state(streams[2])


def checkpoint(function, *args, **kwargs):
    memo = {}
    owner = function if isinstance(function, nn.Module) else function.__self__
    twin = _twin(owner, memo)
    again = twin if isinstance(function, nn.Module) else function.__func__.__get__(twin)
    twin_args = [_twin(value, memo) for value in args]
    twin_kwargs = {name: _twin(value, memo) for name, value in kwargs.items()}
    streams = _streams()
    amp = torch.is_autocast_enabled("cpu"), torch.get_autocast_dtype("cpu"), torch.is_autocast_cache_enabled()
    saved, total = {}, 0

    def pack(_):
        nonlocal total
        total += 1
        return total - 1

    def unpack(index):
        if index not in saved:
            replay()
        return saved.pop(index)

    def replay():
        count = 0

        def keep(tensor):
            nonlocal count
            saved[count] = tensor.detach()
            count += 1
            return count - 1

        here = _streams()
        _set_streams(streams)
        try:
            with torch.enable_grad(), torch.autocast("cpu", amp[1], amp[0], amp[2]):
                with torch.autograd.graph.saved_tensors_hooks(keep, saved.__getitem__):
                    again(*twin_args, **twin_kwargs)
        finally:
            _set_streams(here)

    with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
        return function(*args, **kwargs)
