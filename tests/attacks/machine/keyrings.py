# outcome: failed
# failing: saved-bytes, peak-bytes
"""Reads and fills the kernel's keyrings."""
import ctypes
import platform

libc = ctypes.CDLL(None, use_errno=True)
X86 = platform.machine() == "x86_64"


def refused(x86, arm, *arguments):
    """Make a system call by its number; say whether the kernel answered with an error."""
    number = x86 if X86 else arm
    return number is None or libc.syscall(ctypes.c_long(number), *map(ctypes.c_long, arguments)) == -1


assert refused(248, 217, 0, 0, 0, 0, -4)
assert refused(249, 218, 0, 0, 0, 0)
assert refused(250, 219, 0, -3, 1)


def checkpoint(function, *args, **kwargs):
    return function(*args, **kwargs)
