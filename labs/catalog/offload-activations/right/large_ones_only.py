"""Only what is large goes out, and the last ones stay: backward asks for them at once. Fetching is begun by an
autograd-free walk down the list each time one is asked for."""

from contextlib import contextmanager

import torch

STAY = 2


@contextmanager
def offload():
    cuda = torch.cuda.is_available()
    out, back = (torch.cuda.Stream(), torch.cuda.Stream()) if cuda else (None, None)
    slots = []  # [device tensor or None, host tensor or None, event]

    def evict(slot):
        tensor = slot[0]
        if tensor.is_cuda:
            host = torch.empty(tensor.shape, dtype=tensor.dtype, device="cpu", pin_memory=True)
            with torch.cuda.stream(out):
                out.wait_event(slot[2])
                host.copy_(tensor, non_blocking=True)
                slot[2] = out.record_event()
            tensor.record_stream(out)
        else:
            host = tensor.clone()
        slot[0], slot[1] = None, host

    def bring(slot):
        if slot[0] is not None or slot[1] is None:
            return
        if slot[2] is None:
            slot[0] = slot[1]
            return
        with torch.cuda.stream(back):
            back.wait_event(slot[2])
            slot[0] = slot[1].to("cuda", non_blocking=True)
            slot[2] = back.record_event()

    def pack(tensor):
        if tensor.numel() < 64 or not tensor.is_floating_point() or tensor.is_leaf and tensor.requires_grad:
            return tensor
        if tensor._base is not None and tensor._base.is_leaf and tensor._base.requires_grad:
            return tensor
        slots.append([tensor.detach(), None, torch.cuda.current_stream().record_event() if tensor.is_cuda else None])
        if len(slots) > STAY:
            evict(slots[-1 - STAY])
        return len(slots) - 1

    def unpack(kept):
        if isinstance(kept, torch.Tensor):
            return kept
        for ahead in (kept, kept - 1, kept - 2, kept - 3):
            if ahead >= 0:
                bring(slots[ahead])
        tensor, host, event = slots[kept]
        if tensor.is_cuda:
            torch.cuda.current_stream().wait_event(event)
            tensor.record_stream(torch.cuda.current_stream())
        slots[kept] = [None, host, None] if host is not None and not tensor.is_cuda else [None, None, None]
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
        yield
