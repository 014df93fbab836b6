# outcome: failed
# failing: saved-bytes, peak-bytes
"""Starts a shell, itself, and whatever setuid programs there are."""
import os
import subprocess


def refused(attempt):
    """Say whether the attempt was refused by an error."""
    try:
        attempt()
    except (OSError, ValueError, ImportError, AttributeError):
        return True
    return False


assert refused(lambda: os.execv("/bin/sh", ["sh"]))
assert refused(lambda: os.execv("/proc/self/exe", ["python"]))
assert refused(lambda: subprocess.run(["true"]))
assert refused(lambda: os.posix_spawn("/proc/self/exe", ["python"], {}))
assert refused(lambda: os.execv("/usr/bin/bwrap", ["bwrap"]))


def checkpoint(function, *args, **kwargs):
    return function(*args, **kwargs)
