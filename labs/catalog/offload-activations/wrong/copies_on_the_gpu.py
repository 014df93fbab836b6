# outcome: failed
# failing: saved-bytes, peak-bytes
"""Makes a copy of everything, and makes it where the original is."""
import torch


def offload():
    return torch.autograd.graph.saved_tensors_hooks(lambda t: t.detach().clone(), lambda t: t)
