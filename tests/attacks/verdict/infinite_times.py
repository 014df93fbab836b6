# outcome: refused
# mode: submit
"""Reports step times of 1e400 seconds, which Python reads as infinity and a database refuses."""
import sys

wire = sys.modules["grader.wire"]
honest = wire.parts


def parts(body, tensors=None):
    if "seconds" in body:
        head = b'{"body": {"seconds": {"median": 1e400, "low": -1e400, "high": 1e400, "ratio": 0.0}}, "tensors": []}'
        return [len(head).to_bytes(4, "little"), head]
    return honest(body, tensors)


wire.parts = parts


def checkpoint(function, *args, **kwargs):
    return function(*args, **kwargs)
