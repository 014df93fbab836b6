# outcome: crashed
# failing: chain, overlap, kinds, layouts, in-flight, autograd-grad, outside
"""A stack: what was saved last is taken to be asked for first, and nothing to be left out."""
import contextlib

import torch


@contextlib.contextmanager
def offload():
    stack = []

    def pack(tensor):
        if isinstance(tensor, torch.nn.Parameter) or isinstance(tensor._base, torch.nn.Parameter):
            return tensor
        stack.append((tensor.detach().cpu().clone(), tensor.device))
        return None

    def unpack(kept):
        if kept is not None:
            return kept
        host, device = stack.pop()
        return host.to(device)

    with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
        yield
