"""Saved-tensor hooks that keep a position only; the first unpack replays, and stops once all are back."""

import contextlib
import weakref

import torch
from torch.autograd.graph import saved_tensors_hooks


class _Stop(Exception):
    pass


class _Slot:
    pass


class _Frame:
    def __init__(self, function, args, kwargs):
        self.function, self.args, self.kwargs = function, args, kwargs
        self.rng = torch.get_rng_state()
        self.autocast = {
            "device_type": "cpu",
            "enabled": torch.is_autocast_enabled("cpu"),
            "dtype": torch.get_autocast_dtype("cpu"),
            "cache_enabled": torch.is_autocast_cache_enabled(),
        }
        self.slots = []
        self.tensors = weakref.WeakKeyDictionary()

    def pack(self, tensor):
        slot = _Slot()
        self.slots.append(weakref.ref(slot))
        return slot

    def unpack(self, slot):
        if slot not in self.tensors:
            self.replay()
        return self.tensors.pop(slot)

    def replay(self):
        count = 0

        def pack(tensor):
            nonlocal count
            slot = self.slots[count]()
            count += 1
            if slot is not None:
                self.tensors[slot] = tensor.detach()
            if count == len(self.slots):
                raise _Stop
            return tensor.detach()

        here = torch.get_rng_state()
        torch.set_rng_state(self.rng)
        try:
            with saved_tensors_hooks(pack, lambda t: t), torch.enable_grad(), torch.autocast(**self.autocast):
                with contextlib.suppress(_Stop):
                    self.function(*self.args, **self.kwargs)
        finally:
            torch.set_rng_state(here)


def checkpoint(function, *args, **kwargs):
    frame = _Frame(function, args, kwargs)
    with saved_tensors_hooks(frame.pack, frame.unpack):
        return function(*args, **kwargs)
