# outcome: failed
# failing: saved-bytes, peak-bytes
"""Looks for files, sockets and terminals among the descriptors it was born with."""
import os

for fd in os.listdir("/proc/self/fd"):
    try:
        target = os.readlink(f"/proc/self/fd/{fd}")
    except OSError:
        continue
    assert target.startswith("pipe:") or target == "/dev/null" or target.startswith("/proc"), target


def checkpoint(function, *args, **kwargs):
    return function(*args, **kwargs)
