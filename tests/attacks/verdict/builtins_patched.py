# outcome: failed|refused|crashed
# note: the meter's figures become nonsense, and nonsense is refused or contradicts the kernel
"""Replaces max, sum and int for everybody in the process."""
import builtins

honest = max
builtins.max = lambda *args, **kwargs: 0 if len(args) == 1 and args and isinstance(args[0], list) else honest(*args, **kwargs)


def checkpoint(function, *args, **kwargs):
    return function(*args, **kwargs)
