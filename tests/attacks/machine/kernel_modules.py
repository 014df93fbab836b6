# outcome: failed
# failing: saved-bytes, peak-bytes
"""Loads and removes kernel modules, and starts another kernel."""
import ctypes
import platform

libc = ctypes.CDLL(None, use_errno=True)
X86 = platform.machine() == "x86_64"


def refused(x86, arm, *arguments):
    """Make a system call by its number; say whether the kernel answered with an error."""
    number = x86 if X86 else arm
    return number is None or libc.syscall(ctypes.c_long(number), *map(ctypes.c_long, arguments)) == -1


assert refused(175, 105, 0, 0, 0)
assert refused(313, 273, 0, 0, 0)
assert refused(176, 106, 0, 0)
assert refused(246, 104, 0, 0, 0, 0)
assert refused(320, 294, 0, 0, 0, 0, 0)


def checkpoint(function, *args, **kwargs):
    return function(*args, **kwargs)
