# outcome: refused
"""Reports bytes as a float, an infinity, and a number beyond any memory."""
import sys

subject = sys.modules["__main__"]
honest = subject.Subject.report


def report(self):
    body, tensors = honest(self)
    if body["metered"]:
        body["metered"].update({"saved_bytes": 1e-3, "peak_bytes": 10**30})
    return body, tensors


subject.Subject.report = report


def checkpoint(function, *args, **kwargs):
    return function(*args, **kwargs)
