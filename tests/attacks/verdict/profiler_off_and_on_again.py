# outcome: failed|crashed|refused
# note: whether the meter finds its marks in the second profiler is torch's business; it must not pass
"""Switches the profiler off, computes, and starts another in its place."""
import torch
from torch.autograd import ProfilerActivity, ProfilerConfig, ProfilerState, _disable_profiler, _enable_profiler
from torch._C._profiler import _ExperimentalConfig


def checkpoint(function, *args, **kwargs):
    running = torch.autograd._profiler_enabled()
    if running:
        _disable_profiler()
    out = function(*args, **kwargs)
    if running:
        config = ProfilerConfig(ProfilerState.KINETO, False, True, False, False, False, _ExperimentalConfig())
        torch.autograd._prepare_profiler(config, {ProfilerActivity.CPU})
        _enable_profiler(config, {ProfilerActivity.CPU})
    return out
