# outcome: failed
# failing: saved-bytes, peak-bytes
"""Sends signals to its parent, to the judge and to everybody."""
import os
import signal

threads = {int(name) for name in os.listdir("/proc/self/task")}  # a thread's number reaches its own process
for pid in (os.getppid(), *range(2, 400)):
    if pid > 1 and pid not in threads:
        try:
            os.kill(pid, signal.SIGKILL)
        except OSError:
            continue
        raise AssertionError(pid)
assert os.getpid() <= 2


def checkpoint(function, *args, **kwargs):
    return function(*args, **kwargs)
