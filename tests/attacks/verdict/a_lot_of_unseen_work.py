# outcome: refused|timed_out
# note: sixteen seconds of processor time; on a busy machine the time on the wall is up first
"""Hides so much work from the meter that the processor time gives it away."""
import time

import torch
from torch.utils._python_dispatch import _disable_current_modes

SIDE = torch.ones(700, 700)


def checkpoint(function, *args, **kwargs):
    until = time.thread_time() + 2.6
    with _disable_current_modes(), torch.no_grad():
        while torch.autograd._profiler_enabled() and time.thread_time() < until:
            SIDE @ SIDE
    return function(*args, **kwargs)
