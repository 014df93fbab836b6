# outcome: failed
# failing: saved-bytes, peak-bytes
"""Sends signals to its parent, to the judge and to everybody."""
import os
import signal

for pid in (os.getppid(), *range(2, 400)):
    if pid > 1:
        try:
            os.kill(pid, signal.SIGKILL)
        except OSError:
            continue
        raise AssertionError(pid)
assert os.getpid() <= 2


def checkpoint(function, *args, **kwargs):
    return function(*args, **kwargs)
