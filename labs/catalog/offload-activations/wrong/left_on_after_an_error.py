# outcome: failed
# failing: outside, hidden-copies
"""Forgets that a block can be left by an exception: the hooks stay on for everything that follows."""
import contextlib

import torch


@contextlib.contextmanager
def offload():
    def pack(tensor):
        return tensor if isinstance(tensor, torch.nn.Parameter) else (tensor.detach().cpu().clone(), tensor.device)

    def unpack(kept):
        return kept if isinstance(kept, torch.Tensor) else kept[0].to(kept[1])

    hooks = torch.autograd.graph.saved_tensors_hooks(pack, unpack)
    hooks.__enter__()
    yield
    hooks.__exit__()
