"""An autograd.Function that takes the module's parameters as inputs; state is written back in place, early and late."""

import random

import numpy
import torch
from torch import nn


class _Snapshot:
    """The values of everything that forward may write, to be written back into the same objects."""

    def __init__(self, owner, given):
        self.places = []
        for module in owner.modules():
            for name, value in vars(module).items():
                if name not in ("_parameters", "_modules", "_buffers"):
                    self._note(vars(module), name, value)
            for name, value in module._buffers.items():
                self._note(module._buffers, name, value)
        for value in given:
            if not isinstance(value, torch.Tensor):
                self._note(None, None, value)
        self.streams = torch.get_rng_state(), random.getstate(), numpy.random.get_state()

    def _note(self, holder, name, value):
        if isinstance(value, torch.Tensor):
            content = value.detach().clone()
        elif isinstance(value, torch.Generator):
            content = value.get_state()
        elif isinstance(value, (list, dict)):
            content = value.copy()
        elif holder is not None:
            content = value
        else:
            return
        self.places.append((holder, name, value, content))

    def write(self):
        with torch.no_grad():
            for holder, name, value, content in self.places:
                if isinstance(value, torch.Tensor):
                    value.copy_(content)
                elif isinstance(value, torch.Generator):
                    value.set_state(content)
                elif isinstance(value, list):
                    value[:] = content
                elif isinstance(value, dict):
                    value.clear()
                    value.update(content)
                if holder is not None:
                    holder[name] = value
        torch.set_rng_state(self.streams[0])
        random.setstate(self.streams[1])
        numpy.random.set_state(self.streams[2])


class _Replay(torch.autograd.Function):
    @staticmethod
    def forward(ctx, call, *tensors):
        ctx.call = call
        ctx.save_for_backward(*tensors)
        function, owner, args, kwargs, where = call["what"]
        ctx.given = [*(a for i, a in enumerate(args) if i not in where), *kwargs.values()]
        ctx.before = _Snapshot(owner, ctx.given)
        ctx.amp = torch.is_autocast_enabled("cpu"), torch.get_autocast_dtype("cpu")
        return function(*args, **kwargs)

    @staticmethod
    def backward(ctx, grad):
        function, owner, args, kwargs, where = ctx.call["what"]
        tensors = ctx.saved_tensors
        args = list(args)
        inputs = [t.detach().requires_grad_(t.requires_grad) for t in tensors[: len(where)]]
        for position, tensor in zip(where, inputs, strict=True):
            args[position] = tensor
        wanted = [*inputs, *tensors[len(where) :]]
        now = _Snapshot(owner, ctx.given)
        ctx.before.write()
        try:
            with torch.enable_grad(), torch.autocast("cpu", ctx.amp[1], ctx.amp[0]):
                out = function(*args, **kwargs)
            sources = [t for t in wanted if t.requires_grad]
            found = iter(torch.autograd.grad(out, sources, grad, allow_unused=True))
        finally:
            now.write()  # only now: the replay's graph may hold a buffer, and would see that it was written to
        return None, *[next(found) if t.requires_grad else None for t in wanted]


def checkpoint(function, *args, **kwargs):
    owner = function if isinstance(function, nn.Module) else function.__self__
    where = [i for i, value in enumerate(args) if isinstance(value, torch.Tensor)]
    inputs = [args[i] for i in where]
    rest = [None if i in where else value for i, value in enumerate(args)]
    if not torch.is_grad_enabled():
        return function(*args, **kwargs)
    call = {"what": (function, owner, tuple(args), kwargs, where)}
    out = _Replay.apply(call, *inputs, *owner.parameters())
    call["what"] = (function, owner, tuple(rest), kwargs, where)
    return out
