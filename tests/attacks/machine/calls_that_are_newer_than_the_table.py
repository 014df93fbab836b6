# outcome: failed
# failing: saved-bytes, peak-bytes
"""Makes system calls with numbers that did not exist when the table was written."""
import ctypes
import platform

libc = ctypes.CDLL(None, use_errno=True)
X86 = platform.machine() == "x86_64"


def refused(x86, arm, *arguments):
    """Make a system call by its number; say whether the kernel answered with an error."""
    number = x86 if X86 else arm
    return number is None or libc.syscall(ctypes.c_long(number), *map(ctypes.c_long, arguments)) == -1


assert refused(463, 463, 0, 0, 0, 0)
assert refused(470, 470, 0, 0, 0, 0)
assert refused(500, 500, 0, 0, 0, 0)
assert refused(1000, 1000, 0, 0, 0, 0)


def checkpoint(function, *args, **kwargs):
    return function(*args, **kwargs)
