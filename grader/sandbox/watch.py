"""Watch a running sandbox from outside and end it when it goes over a limit."""

from __future__ import annotations

import threading
import time

from grader.sandbox.ends import Reason
from grader.sandbox.kernel import Gone, Process
from grader.sandbox.limits import Limits

TICK = 0.02
"""Seconds between two looks. At 5 GB/s of fresh pages, memory goes over its limit by 100 MB at most."""


class Watch:
    """A thread that looks at the process every `TICK` and kills it at the first limit that it exceeds.

    `reason` is what it was killed for, None while nothing was wrong. The clocks can be started anew when a sandbox
    that waited ready is given its work.
    """

    def __init__(self, process: Process, limits: Limits, *, isolated: bool) -> None:
        self.reason: Reason | None = None
        self._process = process
        self._limits = limits
        self._isolated = isolated
        self._done = threading.Event()
        self._wall_end = time.monotonic() + limits.wall_seconds
        self._cpu_end = limits.cpu_seconds
        self._thread = threading.Thread(target=self._run, name="sandbox-watch", daemon=True)
        self._thread.start()

    def restart_clocks(self, wall_seconds: float, cpu_seconds: float) -> None:
        """Count both times from now. Raises Gone when the process has ended."""
        self._wall_end = time.monotonic() + wall_seconds
        self._cpu_end = self._process.cpu_seconds() + cpu_seconds

    def end(self, reason: Reason) -> None:
        """Kill the process for this reason, unless there already is one."""
        if not self._process.ended():
            self.reason = self.reason or reason
            self._process.kill()

    def close(self) -> None:
        """Stop watching; return when the thread has ended."""
        self._done.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._done.wait(TICK):
            try:
                reason = self._exceeded()
            except Gone:
                if self._process.ended():
                    return
                continue
            if reason is not None:
                self.end(reason)
                return

    def _exceeded(self) -> Reason | None:
        if time.monotonic() > self._wall_end:
            return Reason.WALL
        if self._process.resident_bytes() > self._limits.memory_bytes:
            return Reason.MEMORY
        if self._process.cpu_seconds() > self._cpu_end:
            return Reason.CPU
        if self._process.threads() > self._limits.threads:
            return Reason.THREADS
        if self._isolated:
            return Reason.FILES if self._process.tmpfs()[1] > self._limits.tmpfs_files else None
        # Without a sandbox, nothing but the filter of `lock_down` forbids a second process.
        return Reason.PROCESSES if self._process.children() else None
