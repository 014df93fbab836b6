# outcome: failed
# failing: saved-bytes, peak-bytes
"""Prints escape sequences, overrides and a fake prompt, and pushes characters into the terminal."""
import fcntl
import os
import sys
import termios

print("\x1b]0;owned\x07\x1b[2J\u202egnp.exe\x00\x9b31m")
sys.stdout.buffer.write(b"\xff\xfe invalid \xc3\x28\n")
for fd in (0, 1, 2):
    try:
        fcntl.ioctl(fd, termios.TIOCSTI, b"x")
    except OSError:
        continue
    raise AssertionError(fd)


def checkpoint(function, *args, **kwargs):
    return function(*args, **kwargs)
