"""Sandboxes that wait ready, torch imported and the meter warm, so that a verdict does not wait for an import.

    from grader import pool
    pool.keep(1)                 # in a worker, at its start: from now on one sandbox waits

Each is used once. A waiting one imports torch by itself in its own process, so nothing here needs a thread, and it
holds no lab, no harness and no submission: those are sent when it is taken. It ends with this process.
"""

from __future__ import annotations

import contextvars
import logging
import os
import threading
from collections import Counter, deque
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace

from grader import subjects
from grader.sandbox import Limits, Sandbox, SandboxError

log = logging.getLogger(__name__)

IDLE_SECONDS = 900.0
"""How long a sandbox may wait; one that waited longer has ended, and a fresh one takes its place."""

counts: Counter[str] = Counter()
"""Sandboxes of this process: filled (started ahead), ready (taken from those that waited), fresh (started when wanted),
refused (could not be started)."""


class Pool:
    """At most `size` sandboxes of one mode, one set of limits and one device, for one process."""

    def __init__(self, mode: str, limits: Limits, size: int = 0, device: str = "cpu") -> None:
        self.mode, self.limits, self.size, self.device = mode, limits, size, device
        self._owner = os.getpid()
        self._waiting: deque[Sandbox] = deque()
        self._lock = threading.Lock()
        self._clearing: threading.Thread | None = None

    @contextmanager
    def take(self) -> Iterator[Sandbox]:
        """Give a sandbox, one that waited if there is one; it ends with the block. Raises sandbox.Unavailable.

        The next one is not started here but by `fill`, or behind the block: no short verdict shares the cores with it.
        """
        if os.getpid() != self._owner:  # after a fork the parent's sandboxes are the parent's
            self._owner = os.getpid()
            self._waiting.clear()
            self._lock, self._clearing = threading.Lock(), None
        with self._lock:
            taken = self._oldest()
            counts["ready" if taken else "fresh"] += 1
            taken = taken or self._start(self.limits.wall_seconds)
        try:
            yield taken
        finally:
            self._clear(taken)

    def fill(self) -> None:
        """Start sandboxes until `size` wait. What cannot be started is said in the log, and tried the next time."""
        with self._lock:
            while len(self._waiting) < self.size:
                try:
                    self._waiting.append(self._start(IDLE_SECONDS))
                    counts["filled"] += 1
                except (SandboxError, OSError) as error:
                    log.warning("No sandbox could be started ahead: %s", error)
                    return

    def settle(self) -> None:
        """Return when the last sandbox that was taken is gone and the next one has been started."""
        if self._clearing:
            self._clearing.join()

    def close(self) -> None:
        """End the sandboxes that wait, and see the last one that was taken gone."""
        self.settle()
        with self._lock:
            while self._waiting:
                self._waiting.pop().kill()

    def _clear(self, used: Sandbox) -> None:
        """End a sandbox and start the next one: 0.1 s, for which whoever keeps sandboxes ready does not wait."""
        if not self.size:
            used.kill()
            return
        used.cancel()
        self.settle()
        within = contextvars.copy_context()  # what is logged there names the submission too
        self._clearing = threading.Thread(target=within.run, args=[self._clear_up, used], name="sandbox-clearing")
        self._clearing.start()

    def _clear_up(self, used: Sandbox) -> None:
        used.kill()
        self.fill()

    def waiting(self) -> int:
        """Return how many wait and live; any thread may ask."""
        return sum(box.alive for box in list(self._waiting)) if os.getpid() == self._owner else 0

    def _start(self, wall_seconds: float) -> Sandbox:
        try:
            return subjects.start(self.mode, replace(self.limits, wall_seconds=wall_seconds), self.device)
        except SandboxError:
            counts["refused"] += 1
            raise

    def _oldest(self) -> Sandbox | None:
        while self._waiting:
            box = self._waiting.popleft()
            if box.alive:
                return box
            box.kill()
        return None


_pools: dict[tuple[str, Limits, str], Pool] = {}
_size = 0


def keep(size: int) -> None:
    """Let `size` sandboxes wait in this process for each mode that is used, from its first use on; 0 ends them."""
    global _size
    _size = size
    for pool in _pools.values():
        pool.size = size
        if size == 0:
            pool.close()


def take(mode: str, limits: Limits, device: str = "cpu") -> AbstractContextManager[Sandbox]:
    """Give a sandbox for one grading on `device`: see `Pool.take`."""
    return _pool(mode, limits, device).take()


def fill(mode: str, limits: Limits, device: str = "cpu") -> None:
    """Start ahead what `keep` allows: before the first grading, and in one that turns out to be long."""
    _pool(mode, limits, device).fill()


def settle() -> None:
    """Return when every sandbox that was taken is gone."""
    for pool in list(_pools.values()):
        pool.settle()


def waiting() -> int:
    """Return how many sandboxes wait ready in this process."""
    return sum(pool.waiting() for pool in list(_pools.values()))


def _pool(mode: str, limits: Limits, device: str) -> Pool:
    key = (mode, limits, device)
    if key not in _pools:
        _pools[key] = Pool(mode, limits, _size, device)
    return _pools[key]
