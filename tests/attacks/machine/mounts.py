# outcome: failed
# failing: saved-bytes, peak-bytes
"""Mounts, unmounts, pivots, and uses the new mount calls."""
import ctypes
import platform

libc = ctypes.CDLL(None, use_errno=True)
X86 = platform.machine() == "x86_64"


def refused(x86, arm, *arguments):
    """Make a system call by its number; say whether the kernel answered with an error."""
    number = x86 if X86 else arm
    return number is None or libc.syscall(ctypes.c_long(number), *map(ctypes.c_long, arguments)) == -1


assert refused(165, 40, 0, 0, 0, 0, 0)
assert refused(166, 39, 0, 2)
assert refused(155, 41, 0, 0)
assert refused(428, 428, -100, 0, 1)
assert refused(430, 430, 0, 0)
assert refused(442, 442, -100, 0, 0, 0, 0)


def checkpoint(function, *args, **kwargs):
    return function(*args, **kwargs)
