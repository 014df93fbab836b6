# outcome: killed
"""Makes system calls through the processor's other numbering, which a careless filter forgets."""
import ctypes
import os
import platform

if platform.machine() == "x86_64":
    ctypes.CDLL(None).syscall(ctypes.c_long(0x40000000 + 39))
else:
    os.abort()


def checkpoint(function, *args, **kwargs):
    return function(*args, **kwargs)
