# outcome: killed
"""Dumps core, with a handler's name in mind."""
import ctypes
import resource

assert resource.getrlimit(resource.RLIMIT_CORE) == (0, 0)
ctypes.string_at(0)


def checkpoint(function, *args, **kwargs):
    return function(*args, **kwargs)
