# outcome: crashed
# failing: chain, nesting
"""Runs the function without grad and forgets to connect it again."""
import torch


def checkpoint(function, *args, **kwargs):
    with torch.no_grad():
        return function(*args, **kwargs)
