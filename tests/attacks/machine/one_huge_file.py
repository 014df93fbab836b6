# outcome: crashed|killed
# note: the file system is full at the very size at which the limit's signal would come
"""Writes one file without end."""
import os


def checkpoint(function, *args, **kwargs):
    fd = os.open("/tmp/huge", os.O_CREAT | os.O_WRONLY)
    while True:
        os.write(fd, b"x" * (1 << 20))
    return function(*args, **kwargs)
