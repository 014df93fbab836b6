# outcome: crashed
"""Forks for ever."""
import os


def checkpoint(function, *args, **kwargs):
    while True:
        os.fork()
    return function(*args, **kwargs)
