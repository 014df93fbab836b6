# outcome: failed
# failing: saved-bytes, peak-bytes
"""Runs the function as it is: nothing moves twice, and everything is kept."""

def checkpoint(function, *args, **kwargs):
    return function(*args, **kwargs)
