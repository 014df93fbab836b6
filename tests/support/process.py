"""Helpers for tests that start processes."""

import functools
import os
import time
from collections.abc import Callable
from typing import Any

from headroom.keep import die_with_parent


def tied_to_us() -> dict[str, Any]:
    """Return arguments for Popen that let a process end with the test run, even if that is killed."""
    return {"preexec_fn": functools.partial(die_with_parent, os.getpid())}


def until(condition: Callable[[], Any], seconds: float = 20.0) -> Any:
    """Wait for `condition` to return something true, and return it; fail after `seconds`."""
    deadline = time.monotonic() + seconds
    while not (value := condition()):
        assert time.monotonic() < deadline, f"{getattr(condition, '__name__', condition)} did not come true"
        time.sleep(0.05)
    return value


def alive(pid: int) -> bool:
    """Tell whether a process runs; one that ended and waits to be collected does not."""
    try:
        with open(f"/proc/{pid}/stat") as stat:
            return stat.read().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False
