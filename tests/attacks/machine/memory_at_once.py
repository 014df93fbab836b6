# outcome: out_of_memory
"""Asks for a terabyte."""
import torch


def checkpoint(function, *args, **kwargs):
    torch.ones(1 << 38)
    return function(*args, **kwargs)
