# outcome: failed
# failing: stack, masks, dropout, sizes, frozen-input, autograd-grad, shared, evaluation, peak-bytes
"""Keeps everything in half the bytes: no work again, and gradients that are no longer float32's."""
import torch


def pack(tensor):
    small = tensor.dtype is torch.float32 and tensor.dim() >= 3
    return (tensor.bfloat16() if small else tensor), tensor.dtype


def forward(blocks, x):
    with torch.autograd.graph.saved_tensors_hooks(pack, lambda kept: kept[0].to(kept[1])):
        for block in blocks:
            x = block(x)
    return x
