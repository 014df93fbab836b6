# outcome: failed
# failing: saved-bytes, peak-bytes
"""Writes to every place that another submission, or the judge, would read."""
import os


def refused(attempt):
    """Say whether the attempt was refused by an error."""
    try:
        attempt()
    except (OSError, ValueError, ImportError, AttributeError):
        return True
    return False


assert refused(lambda: open("/owned", "w"))
assert refused(lambda: open("/usr/lib/owned", "w"))
assert refused(lambda: open("/headroom/grader/meter/flops.py", "w"))
assert refused(lambda: open("/dev/owned", "w"))
assert refused(lambda: open("/proc/self/oom_score_adj", "w"))
assert refused(lambda: open(os.__file__, "a"))
assert refused(lambda: os.mkdir("/owned"))
assert refused(lambda: os.rename("/usr", "/owned"))


def checkpoint(function, *args, **kwargs):
    return function(*args, **kwargs)
