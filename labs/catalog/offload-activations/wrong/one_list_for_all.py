# outcome: failed
# failing: in-flight, hidden-copies
"""Keeps the host copies in one list of the module, emptied whenever a context begins."""
import contextlib

import torch

HOST = []


@contextlib.contextmanager
def offload():
    HOST.clear()

    def pack(tensor):
        if isinstance(tensor, torch.nn.Parameter) or isinstance(tensor._base, torch.nn.Parameter):
            return tensor
        HOST.append((tensor.detach().cpu().clone(), tensor.device))
        return len(HOST) - 1

    def unpack(kept):
        if isinstance(kept, torch.Tensor):
            return kept
        host, device = HOST[kept]
        return host.to(device)

    with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
        yield
