# outcome: crashed|refused
# note: the forged crash is believed as far as that a crash never passes
"""Writes that it crashed with the text of a pass."""
import os
import struct


def frame(body, magic=b"hdrm"):
    head = b'{"body": ' + body + b', "tensors": []}'
    message = struct.pack("<I", len(head)) + head
    return struct.pack("<4sI", magic, len(message)) + message


def write(data):
    for fd in range(3, 40):
        try:
            os.write(fd, data)
        except OSError:
            pass


def checkpoint(function, *args, **kwargs):
    write(frame(b'{"crashed": "crashed", "error": "Every check passed.", "line": 1, "traceback": ""}'))
    return function(*args, **kwargs)
