# outcome: failed
# failing: saved-bytes, peak-bytes
"""Becomes root, takes capabilities, and looks for setuid programs."""
import os

for attempt in (lambda: os.setuid(0), lambda: os.setgid(0), lambda: os.setgroups([0]), lambda: os.setresuid(0, 0, 0), lambda: os.nice(-5)):
    try:
        attempt()
    except OSError:
        continue
    raise AssertionError("it worked")
status = open("/proc/self/status").read()
assert "CapEff:\t0000000000000000" in status
assert "NoNewPrivs:\t1" in status


def checkpoint(function, *args, **kwargs):
    return function(*args, **kwargs)
