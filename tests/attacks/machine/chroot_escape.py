# outcome: failed
# failing: saved-bytes, peak-bytes
"""Makes a new root below /tmp and climbs out of it, by the old trick."""
import os


def refused(attempt):
    """Say whether the attempt was refused by an error."""
    try:
        attempt()
    except (OSError, ValueError, ImportError, AttributeError):
        return True
    return False


assert refused(lambda: os.chroot("/tmp"))
assert refused(lambda: os.chroot("/proc/1/root"))
assert refused(lambda: open("/proc/1/root/etc/passwd"))


def checkpoint(function, *args, **kwargs):
    return function(*args, **kwargs)
