# outcome: failed
# failing: hidden-copies
"""Asks for copies without blocking, to memory that is not pinned: they block all the same."""
import torch


def offload():
    def pack(tensor):
        if isinstance(tensor, torch.nn.Parameter) or isinstance(tensor._base, torch.nn.Parameter):
            return tensor
        host = torch.empty(tensor.shape, dtype=tensor.dtype, device="cpu")
        host.copy_(tensor.detach(), non_blocking=True)
        return host, tensor.device

    def unpack(kept):
        if isinstance(kept, torch.Tensor):
            return kept
        return kept[0].to(kept[1], non_blocking=True)

    return torch.autograd.graph.saved_tensors_hooks(pack, unpack)
