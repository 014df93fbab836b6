# outcome: crashed
"""Tries to keep activations in a forked child, which do not count as this process's resident memory."""
import os


def checkpoint(function, *args, **kwargs):
    os.fork()
    return function(*args, **kwargs)
