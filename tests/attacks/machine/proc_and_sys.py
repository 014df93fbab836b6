# outcome: failed
# failing: saved-bytes, peak-bytes
"""Writes to the kernel's switches in /proc and /sys."""
import os


def refused(attempt):
    """Say whether the attempt was refused by an error."""
    try:
        attempt()
    except (OSError, ValueError, ImportError, AttributeError):
        return True
    return False


assert refused(lambda: open("/proc/sys/kernel/core_pattern", "w"))
assert refused(lambda: open("/proc/sys/vm/drop_caches", "w"))
assert refused(lambda: open("/proc/sysrq-trigger", "w"))
assert refused(lambda: open("/proc/self/clear_refs", "w"))
assert refused(lambda: open("/proc/self/mem", "w"))
assert refused(lambda: open("/proc/self/uid_map", "w"))
assert refused(lambda: open("/proc/self/loginuid", "w"))
assert refused(lambda: open("/proc/1/mem", "w"))
assert refused(lambda: os.listdir("/sys"))


def checkpoint(function, *args, **kwargs):
    return function(*args, **kwargs)
