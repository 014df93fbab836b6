# outcome: failed
# failing: saved-bytes, peak-bytes
"""Points links in /tmp out of the sandbox and follows them, and asks for links to be made outside."""
import os


def refused(attempt):
    """Say whether the attempt was refused by an error."""
    try:
        attempt()
    except (OSError, ValueError, ImportError, AttributeError):
        return True
    return False


for number, target in enumerate(("/../../..", "/proc", "/etc")):
    os.symlink(target, f"/tmp/link{number}")
assert refused(lambda: open("/tmp/link0/etc/passwd"))
assert refused(lambda: open("/tmp/link1/1/root/etc/passwd"))
assert refused(lambda: open("/tmp/link2/shadow"))
assert refused(lambda: os.link("/usr/lib/os-release", "/usr/lib/owned"))
assert refused(lambda: os.symlink("/tmp", "/owned"))


def checkpoint(function, *args, **kwargs):
    return function(*args, **kwargs)
