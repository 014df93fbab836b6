# outcome: failed
# failing: saved-bytes, peak-bytes
"""Asks for input and output ports, another personality, and descriptor tables of its own."""
import ctypes
import platform

libc = ctypes.CDLL(None, use_errno=True)
X86 = platform.machine() == "x86_64"


def refused(x86, arm, *arguments):
    """Make a system call by its number; say whether the kernel answered with an error."""
    number = x86 if X86 else arm
    return number is None or libc.syscall(ctypes.c_long(number), *map(ctypes.c_long, arguments)) == -1


assert refused(172, None, 3)
assert refused(173, None, 0, 1, 1)
assert refused(154, None, 0, 0, 0)
assert refused(135, 92, 0x0040000)


def checkpoint(function, *args, **kwargs):
    return function(*args, **kwargs)
