# outcome: crashed|refused|failed|killed|timed_out
# note: which end comes first depends on which pipe is found; none may pass
"""Opens its own request pipe for writing through /proc and feeds itself orders."""
import os
import struct


def checkpoint(function, *args, **kwargs):
    head = b'{"body": {"op": "go"}, "tensors": []}'
    message = struct.pack("<I", len(head)) + head
    for fd in os.listdir("/proc/self/fd"):
        try:
            other = os.open(f"/proc/self/fd/{fd}", os.O_WRONLY | os.O_NONBLOCK)
            os.write(other, struct.pack("<4sI", b"hdrm", len(message)) + message)
        except OSError:
            pass
    return function(*args, **kwargs)
