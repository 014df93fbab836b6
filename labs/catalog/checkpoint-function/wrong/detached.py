# outcome: crashed
# failing: chain, arguments, outputs, frozen-input, autograd-grad, nesting, autocast, shared-weights, two-updates, dropout
"""Runs the function without grad and forgets to connect it again."""
import torch


def checkpoint(function, *args, **kwargs):
    with torch.no_grad():
        return function(*args, **kwargs)
