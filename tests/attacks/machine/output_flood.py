# outcome: failed
"""Prints fifty megabytes."""
import os


def checkpoint(function, *args, **kwargs):
    os.write(1, b"x" * 65536 * 10)
    for _ in range(4):
        os.write(2, b"\x00\xff\n" * 1_000_000)
    return function(*args, **kwargs)
