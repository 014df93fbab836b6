# outcome: crashed|failed|killed
# note: with no descriptor left the subject cannot even import what it needs to say so
"""Opens descriptors until none is left."""
import os


def checkpoint(function, *args, **kwargs):
    while True:
        os.open("/dev/null", os.O_RDONLY)
    return function(*args, **kwargs)
