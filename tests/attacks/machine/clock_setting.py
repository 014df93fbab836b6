# outcome: failed
# failing: saved-bytes, peak-bytes
"""Sets the machine's clocks and its name."""
import ctypes
import platform

libc = ctypes.CDLL(None, use_errno=True)
X86 = platform.machine() == "x86_64"


def refused(x86, arm, *arguments):
    """Make a system call by its number; say whether the kernel answered with an error."""
    number = x86 if X86 else arm
    return number is None or libc.syscall(ctypes.c_long(number), *map(ctypes.c_long, arguments)) == -1


assert refused(164, 170, 0, 0)
assert refused(227, 112, 0, 0)
assert refused(305, 266, 0, 0)
assert refused(159, 171, 0)
assert refused(170, 161, 0, 0)
assert refused(171, 162, 0, 0)


def checkpoint(function, *args, **kwargs):
    return function(*args, **kwargs)
