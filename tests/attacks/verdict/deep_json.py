# outcome: refused|killed
# note: the reader refuses; a subject that loses its way afterwards may end itself first
"""Reports a value nested a hundred thousand deep, for the judge's JSON reader."""
import sys

import torch

wire = sys.modules["grader.wire"]


def parts(body, tensors=None):
    head = b'{"body": {"values": ' + b"[" * 100_000 + b"]" * 100_000 + b', "metered": null}, "tensors": []}'
    return [len(head).to_bytes(4, "little"), head]


def checkpoint(function, *args, **kwargs):
    wire.parts = parts
    return function(*args, **kwargs)
