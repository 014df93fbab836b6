# outcome: crashed
# failing: kinds, hidden-copies
"""Gives every tensor back as float32."""
import torch


def offload():
    def pack(tensor):
        if isinstance(tensor, torch.nn.Parameter) or isinstance(tensor._base, torch.nn.Parameter):
            return tensor
        return tensor.detach().float().cpu().clone(), tensor.device

    def unpack(kept):
        return kept if isinstance(kept, torch.Tensor) else kept[0].to(kept[1])

    return torch.autograd.graph.saved_tensors_hooks(pack, unpack)
