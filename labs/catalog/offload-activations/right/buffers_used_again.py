"""A pool of pinned buffers by size that lives as long as the module: the second update pins nothing new. A buffer goes
back to the pool when the packed value dies, behind the copy that last read it."""

import collections
import threading

import torch

FREE = collections.defaultdict(list)
LOCK = threading.Lock()
STREAMS = {}


def streams():
    if not STREAMS:
        STREAMS["out"], STREAMS["back"] = torch.cuda.Stream(), torch.cuda.Stream()
    return STREAMS["out"], STREAMS["back"]


class Parked:
    def __init__(self, tensor, before):
        self.shape, self.dtype, self.device = tensor.shape, tensor.dtype, tensor.device
        self.size = tensor.numel() * tensor.element_size()
        self.before, self.here = before, None
        with LOCK:
            free = FREE[self.size, self.device.type]
            self.buffer = free.pop() if free else None
        if self.buffer is None:
            pinned = self.device.type == "cuda"
            self.buffer = torch.empty(max(self.size, 1), dtype=torch.uint8, pin_memory=pinned), None
        host = self.view()
        if self.device.type == "cpu":
            host.copy_(tensor)
            return
        out, _ = streams()
        out.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(out):
            if self.buffer[1] is not None:
                out.wait_event(self.buffer[1])
            host.copy_(tensor, non_blocking=True)
            self.left = out.record_event()
        tensor.record_stream(out)

    def view(self):
        return self.buffer[0][: self.size].view(self.dtype).view(self.shape)

    def fetch(self):
        if self.here is not None:
            return
        if self.device.type == "cpu":
            self.here = self.view().clone(), None
            return
        _, back = streams()
        with torch.cuda.stream(back):
            back.wait_event(self.left)
            tensor = torch.empty(self.shape, dtype=self.dtype, device=self.device)
            tensor.copy_(self.view(), non_blocking=True)
            self.here = tensor, back.record_event()
        self.buffer = self.buffer[0], self.here[1]

    def take(self):
        self.fetch()
        one = self.before() if self.before else None
        for _ in range(2):  # backward asks in the opposite order
            if one is None:
                break
            one.fetch()
            one = one.before() if one.before else None
        tensor, arrived = self.here
        self.here = None
        if arrived is not None:
            torch.cuda.current_stream().wait_event(arrived)
            tensor.record_stream(torch.cuda.current_stream())
        return tensor

    def __del__(self):
        if self.buffer is not None:
            with LOCK:
                FREE[self.size, self.device.type].append(self.buffer)


class offload:
    def __enter__(self):
        import weakref

        last = [None]

        def pack(tensor):
            base = tensor._base if tensor._base is not None else tensor
            if isinstance(base, torch.nn.Parameter) or tensor.numel() == 0 or tensor.dim() == 0:
                return tensor
            parked = Parked(tensor.detach(), last[0])
            last[0] = weakref.ref(parked)
            return parked

        self.hooks = torch.autograd.graph.saved_tensors_hooks(
            pack, lambda kept: kept.take() if isinstance(kept, Parked) else kept
        )
        self.hooks.__enter__()
        return self

    def __exit__(self, *error):
        self.hooks.__exit__(*error)
        return False
