# outcome: failed
# failing: saved-bytes, peak-bytes
"""Looks for other processes in /proc."""
import os

pids = [name for name in os.listdir("/proc") if name.isdigit()]
assert pids == [str(os.getpid())], pids


def checkpoint(function, *args, **kwargs):
    return function(*args, **kwargs)
