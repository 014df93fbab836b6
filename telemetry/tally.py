"""Count what happens in any process of the site, where all of them together are read: in one hash in Redis.

    VERDICTS = tally.Counter("headroom_verdicts_total", "Verdicts written.", ("outcome",))
    VERDICTS.add("passed")

Counting only adds to a dictionary. A thread of the process carries the sums to Redis every few seconds, so no request
and no grading waits for it; while Redis is away they are kept and carried later. What a killed process had not yet
carried is lost, and an emptied Redis starts from zero, which readers of counters expect.
"""

from __future__ import annotations

import atexit
import bisect
import json
import logging
import os
import threading
import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import redis

log = logging.getLogger(__name__)

PERIOD_S = 2.0
GAUGE_LASTS_S = 60.0
"""A gauge that its process has not set for so long is that of a process that is gone."""
SUMS, GAUGES = "headroom:tally:sums", "headroom:tally:gauges"
INFINITY = "+Inf"

declared: dict[str, Counter | Histogram | Gauge] = {}
"""Every tally by its name, as modules declare them."""


@dataclass(frozen=True)
class _Tally:
    name: str
    help: str
    labels: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        declared[self.name] = self  # type: ignore[assignment]

    def _key(self, values: tuple[str, ...], part: str = "") -> str:
        if len(values) != len(self.labels):
            raise ValueError(f"{self.name} has the labels {self.labels}, not {values}")
        return json.dumps([self.name, part, *values])


@dataclass(frozen=True)
class Counter(_Tally):
    """How often something happened.

    `known` are label values that are shown as 0 before their first time: the step from nothing to 1 is no increase
    to Prometheus, and an alert on it would miss the first.
    """

    known: tuple[tuple[str, ...], ...] = ()

    def add(self, *values: str, by: float = 1) -> None:
        _process.add({self._key(values): by})


@dataclass(frozen=True)
class Histogram(_Tally):
    """How long something took, in seconds, sorted into `buckets` by their upper bounds."""

    buckets: tuple[float, ...] = (0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)

    def observe(self, seconds: float, *values: str) -> None:
        index = bisect.bisect_left(self.buckets, seconds)
        bound = str(self.buckets[index]) if index < len(self.buckets) else INFINITY
        _process.add({self._key(values, bound): 1, self._key(values, "sum"): seconds})


@dataclass(frozen=True)
class Gauge(_Tally):
    """How much there is now in one process; its last label names the process."""

    def set(self, value: float, *values: str) -> None:
        _process.set(self._key(values), value)


class _Process:
    """What this process has counted and not yet carried to Redis."""

    def __init__(self) -> None:
        self.url: str | None = None
        self.before: list[Callable[[], None]] = []
        self.forget()

    def forget(self) -> None:
        """Start with nothing, after a fork: the sums so far are the parent's, and so is the thread."""
        self.lock, self.wake = threading.Lock(), threading.Event()
        self.sums: dict[str, float] = defaultdict(float)
        self.gauges: dict[str, tuple[float, float]] = {}
        self.thread: threading.Thread | None = None
        self.client: Any = None

    def add(self, sums: dict[str, float]) -> None:
        with self.lock:
            for key, by in sums.items():
                self.sums[key] += by
        self.start()

    def set(self, key: str, value: float) -> None:
        with self.lock:
            self.gauges[key] = (value, time.time())
        self.start()

    def start(self) -> None:
        if self.thread is None and self.url is not None:
            self.thread = threading.Thread(target=self._run, name="tally", daemon=True)
            self.thread.start()

    def redis(self) -> Any:
        if self.client is None:
            assert self.url is not None
            self.client = redis.Redis.from_url(self.url, socket_connect_timeout=1, socket_timeout=2)
        return self.client

    def carry(self) -> bool:
        """Add the sums to those in Redis. False: it does not answer, and they are kept."""
        if self.url is None:
            return False
        with self.lock:
            sums, gauges = dict(self.sums), dict(self.gauges)
            self.sums.clear()
            self.gauges.clear()
        if not sums and not gauges:
            return True
        try:
            with self.redis().pipeline(transaction=True) as pipe:
                for key, by in sums.items():
                    pipe.hincrbyfloat(SUMS, key, by)
                for key, (value, at) in gauges.items():
                    pipe.hset(GAUGES, key, json.dumps([value, at]))
                pipe.execute()
        except (redis.RedisError, OSError):
            with self.lock:
                for key, by in sums.items():
                    self.sums[key] += by
            return False
        return True

    def _run(self) -> None:
        while True:
            self.wake.wait(PERIOD_S)
            self.wake.clear()
            try:
                for function in self.before:
                    function()
            except Exception:  # counting must not end because one count failed
                log.exception("A tally could not be taken.")
            self.carry()


_process = _Process()
os.register_at_fork(after_in_child=_process.forget)
atexit.register(_process.carry)


def keep_in(url: str | None) -> None:
    """Say in which Redis the sums are kept; None keeps them in this process (tests, one-off commands)."""
    _process.url, _process.client = url, None


def before_carrying(function: Callable[[], None]) -> None:
    """Let this process call `function` every few seconds: it sets gauges."""
    _process.before.append(function)
    _process.start()


def carry_soon() -> None:
    """Have the thread carry the sums now, after something that is rare and matters."""
    _process.wake.set()


def read() -> tuple[dict[str, float], dict[str, float]]:
    """Return sums and gauges of all processes by their keys (`[name, part, *labels]` as JSON).

    Raises redis.RedisError or OSError where Redis does not answer.
    """
    _process.carry()
    if _process.url is None:
        return dict(_process.sums), {key: value for key, (value, _) in _process.gauges.items()}
    client = _process.redis()
    sums = {key.decode(): float(value) for key, value in client.hgetall(SUMS).items()}
    gauges, oldest = {}, time.time() - GAUGE_LASTS_S
    for key, written in client.hgetall(GAUGES).items():
        value, at = json.loads(written)
        if at >= oldest:
            gauges[key.decode()] = value
        else:
            client.hdel(GAUGES, key)
    return sums, gauges


def forget() -> None:
    """Forget what this process has counted (tests)."""
    _process.forget()
