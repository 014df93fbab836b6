# outcome: failed
# failing: saved-bytes, peak-bytes
"""Traces and reads other processes, the first one of the namespace included."""
import ctypes
import platform

libc = ctypes.CDLL(None, use_errno=True)
X86 = platform.machine() == "x86_64"


def refused(x86, arm, *arguments):
    """Make a system call by its number; say whether the kernel answered with an error."""
    number = x86 if X86 else arm
    return number is None or libc.syscall(ctypes.c_long(number), *map(ctypes.c_long, arguments)) == -1


assert refused(101, 117, 16, 1, 0, 0)
assert refused(101, 117, 0, 0, 0, 0)
assert refused(310, 270, 1, 0, 0, 0, 0, 0)
assert refused(311, 271, 1, 0, 0, 0, 0, 0)
assert refused(438, 438, 0, 0, 0)
assert refused(312, 272, 1, 1, 0, 0, 0)


def checkpoint(function, *args, **kwargs):
    return function(*args, **kwargs)
