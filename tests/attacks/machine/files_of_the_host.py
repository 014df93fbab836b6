# outcome: failed
# failing: saved-bytes, peak-bytes
"""Reads accounts, keys and logs of the host."""
import os


def refused(attempt):
    """Say whether the attempt was refused by an error."""
    try:
        attempt()
    except (OSError, ValueError, ImportError, AttributeError):
        return True
    return False


assert refused(lambda: open("/etc/passwd"))
assert refused(lambda: open("/etc/shadow"))
assert refused(lambda: open("/etc/hostname"))
assert refused(lambda: open("/root/.ssh/id_rsa"))
assert refused(lambda: open("/var/log/syslog"))
assert refused(lambda: open("/proc/1/root/etc/passwd"))
assert refused(lambda: open("/proc/kcore"))
assert refused(lambda: open("/proc/sysrq-trigger"))
assert refused(lambda: os.listdir("/home/ubuntu"))
assert refused(lambda: os.listdir("/root/.ssh"))
assert refused(lambda: os.listdir("/var"))
assert refused(lambda: os.listdir("/etc/ssh"))


def checkpoint(function, *args, **kwargs):
    return function(*args, **kwargs)
