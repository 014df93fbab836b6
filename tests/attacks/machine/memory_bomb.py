# outcome: out_of_memory
"""Fills memory in small steps."""
import torch


def checkpoint(function, *args, **kwargs):
    kept = []
    while True:
        kept.append(torch.ones(1 << 24))
    return function(*args, **kwargs)
