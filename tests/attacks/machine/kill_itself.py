# outcome: killed
"""Sends itself the strongest signal."""
import os


def checkpoint(function, *args, **kwargs):
    os.kill(os.getpid(), 9)
    os.abort()
    return function(*args, **kwargs)
