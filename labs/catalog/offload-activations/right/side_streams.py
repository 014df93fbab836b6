"""Hooks with one stream out and one back, events, and a few tensors fetched ahead. On a CPU, copies."""

import contextlib

import torch
from torch.autograd.graph import saved_tensors_hooks

AHEAD = 3
SMALL = 4096


def resident(tensor):
    return isinstance(tensor, torch.nn.Parameter) or isinstance(tensor._base, torch.nn.Parameter)


class Forward:
    def __init__(self):
        self.out = self.back = None
        self.kept = []
        self.coming = {}

    def pack(self, tensor):
        if resident(tensor) or tensor.numel() < SMALL and tensor.is_cuda:
            return tensor
        if not tensor.is_cuda:
            self.kept.append((tensor.detach().clone(), None))
            return len(self.kept) - 1
        if self.out is None:
            self.out, self.back = torch.cuda.Stream(), torch.cuda.Stream()
        host = torch.empty(tensor.shape, dtype=tensor.dtype, device="cpu", pin_memory=True)
        ready = torch.cuda.current_stream().record_event()
        with torch.cuda.stream(self.out):
            self.out.wait_event(ready)
            host.copy_(tensor.detach(), non_blocking=True)
            left = self.out.record_event()
        tensor.record_stream(self.out)
        self.kept.append((host, left))
        return len(self.kept) - 1

    def start(self, index):
        host, left = self.kept[index]
        if index in self.coming or left is None:
            return
        with torch.cuda.stream(self.back):
            self.back.wait_event(left)
            self.coming[index] = host.to("cuda", non_blocking=True), self.back.record_event()

    def unpack(self, index):
        if isinstance(index, torch.Tensor):
            return index
        host, left = self.kept[index]
        if left is None:
            return host
        for ahead in range(index, max(-1, index - AHEAD), -1):
            self.start(ahead)
        tensor, arrived = self.coming.pop(index)
        torch.cuda.current_stream().wait_event(arrived)
        tensor.record_stream(torch.cuda.current_stream())
        return tensor


@contextlib.contextmanager
def offload():
    state = Forward()
    with saved_tensors_hooks(state.pack, state.unpack):
        yield
