# outcome: failed
# failing: saved-bytes, peak-bytes
"""Opens an io_uring, whose operations a system call filter does not see."""
import ctypes
import platform

libc = ctypes.CDLL(None, use_errno=True)
X86 = platform.machine() == "x86_64"


def refused(x86, arm, *arguments):
    """Make a system call by its number; say whether the kernel answered with an error."""
    number = x86 if X86 else arm
    return number is None or libc.syscall(ctypes.c_long(number), *map(ctypes.c_long, arguments)) == -1


assert refused(425, 425, 8, 0)
assert refused(426, 426, 0, 0, 0, 0, 0)
assert refused(427, 427, 0, 0, 0, 0)
assert refused(206, 0, 8, 0)


def checkpoint(function, *args, **kwargs):
    return function(*args, **kwargs)
