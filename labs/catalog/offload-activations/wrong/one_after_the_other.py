# outcome: failed
# failing: hidden-copies, pinned-bytes
"""torch's own context manager: pinned, and each copy is waited for."""
import torch


def offload():
    return torch.autograd.graph.save_on_cpu(pin_memory=True)
