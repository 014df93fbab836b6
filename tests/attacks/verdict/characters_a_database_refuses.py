# outcome: crashed
"""Raises an error whose text holds NUL, half a surrogate pair and a terminal's escape sequences."""
def checkpoint(function, *args, **kwargs):
    raise RuntimeError("\x00 \ud800 \x1b[2J" + "x" * 100_000)
