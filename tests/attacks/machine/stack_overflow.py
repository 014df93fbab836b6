# outcome: out_of_memory|crashed|killed
# note: which of stack and heap is full first depends on the Python
"""Recurses without end, in Python with the limit lifted."""
import sys


def checkpoint(function, *args, **kwargs):
    sys.setrecursionlimit(1 << 30)

    def deeper(n):
        return repr([deeper(n + 1)])

    deeper(0)
    return function(*args, **kwargs)
