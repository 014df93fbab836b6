"""Sums of several processes, in one place."""

import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest
import redis

from telemetry import tally
from tests.support.process import until
from tests.support.redis import serving

ROOT = Path(__file__).resolve().parents[2]
THINGS = tally.Counter("test_things_total", "Things.", ("kind",))
TOOK = tally.Histogram("test_took_seconds", "Took.", (), (0.1, 1))
READY = tally.Gauge("test_ready", "Ready.", ("process",))


@pytest.fixture(autouse=True)
def fresh():
    tally.forget()
    yield
    tally.keep_in(None)
    tally.forget()


def count(name: str, *labels: str, part: str = "") -> float:
    return tally.read()[0].get(json.dumps([name, part, *labels]), 0)


def test_counting_adds_up_and_needs_its_labels() -> None:
    THINGS.add("a")
    THINGS.add("a", by=2)
    THINGS.add("b")
    assert (count("test_things_total", "a"), count("test_things_total", "b")) == (3, 1)
    with pytest.raises(ValueError, match="has the labels"):
        THINGS.add()


@pytest.mark.parametrize(("seconds", "bound"), [(0.0, "0.1"), (0.1, "0.1"), (0.11, "1"), (1.5, "+Inf")])
def test_a_duration_is_sorted_by_its_upper_bound(seconds: float, bound: str) -> None:
    TOOK.observe(seconds)
    assert count("test_took_seconds", part=bound) == 1
    assert count("test_took_seconds", part="sum") == seconds


CHILDREN = """
import os, sys, time
from telemetry import tally
things = tally.Counter("test_things_total", "Things.", ("kind",))
tally.keep_in(sys.argv[1])
things.add("a", by=100)
if os.fork() == 0:
    things.add("a")
    time.sleep(30)
    os._exit(0)
time.sleep(30)
"""


def test_processes_add_up_also_those_that_a_fork_made(redis_url: str) -> None:
    tally.keep_in(redis_url)
    before = count("test_things_total", "a")
    process = subprocess.Popen([sys.executable, "-c", CHILDREN, redis_url], cwd=ROOT, start_new_session=True)
    try:
        THINGS.add("a", by=1000)
        until(lambda: count("test_things_total", "a") - before == 1101, 60)
    finally:
        os.killpg(process.pid, 9)
        process.wait()


def test_what_redis_does_not_take_is_kept_until_it_does(monkeypatch) -> None:
    with serving() as server:
        tally.keep_in(server.url)
        server.kill()
        asked: list[threading.Thread] = []
        honest = tally._process.redis
        monkeypatch.setattr(tally._process, "redis", lambda: (asked.append(threading.current_thread()), honest())[1])
        for _ in range(1001):
            THINGS.add("a")
        assert threading.current_thread() not in asked, "who counts waits for Redis"
        assert not tally._process.carry()
        with pytest.raises(redis.RedisError):
            tally.read()
        server.start()
        assert count("test_things_total", "a") == 1001
        assert count("test_things_total", "a") == 1001


def test_a_gauge_of_a_process_that_is_gone_is_forgotten(redis_url: str, monkeypatch) -> None:
    tally.keep_in(redis_url)
    READY.set(3, "one")
    key = json.dumps(["test_ready", "", "one"])
    assert tally.read()[1][key] == 3
    monkeypatch.setattr(tally, "GAUGE_LASTS_S", -1.0)
    assert key not in tally.read()[1]
    monkeypatch.undo()
    assert key not in tally.read()[1]


def test_a_process_tells_of_its_gauges_by_itself(redis_url: str, monkeypatch) -> None:
    monkeypatch.setattr(tally, "PERIOD_S", 0.05)
    monkeypatch.setattr(tally._process, "before", [])
    tally.keep_in(redis_url)
    numbers = iter(range(10**6))
    tally.before_carrying(lambda: READY.set(next(numbers), "two"))
    key = json.dumps(["test_ready", "", "two"])
    until(lambda: tally.read()[1].get(key, 0) > 2)
