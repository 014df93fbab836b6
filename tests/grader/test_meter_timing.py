"""Times are taken in turn, and the interval holds the median as often as it says."""

from __future__ import annotations

import random
import time

import pytest

from grader import meter
from grader.meter.timing import interval
from grader.program import Program


def sleeper(name: str, seconds: float, order: list[str]) -> Program:
    def forward() -> None:
        order.append(name)
        time.sleep(seconds)

    return Program([("forward", forward)], dict)


def test_the_two_programs_run_in_turn():
    order: list[str] = []
    meter.times(lambda: sleeper("A", 0, order), lambda: sleeper("B", 0, order), pairs=3, warmup=1)
    assert "".join(order) == "ABABABAB"


def test_the_ratio_is_to_the_plain_run_and_the_interval_holds_the_median():
    order: list[str] = []
    seconds = meter.times(lambda: sleeper("A", 0.03, order), lambda: sleeper("B", 0.01, order), pairs=7)
    assert 1.5 < seconds.ratio < 4
    assert 0.03 <= seconds.low <= seconds.median <= seconds.high


def test_a_slow_program_stops_at_the_budget():
    order: list[str] = []
    meter.times(lambda: sleeper("A", 0.05, order), lambda: sleeper("B", 0.05, order), pairs=50, warmup=0, budget_s=0.2)
    assert len(order) < 10


def test_on_a_gpu_the_clock_starts_and_stops_when_it_has_nothing_left_to_do(monkeypatch):
    order: list[str] = []
    monkeypatch.setattr("torch.cuda.synchronize", lambda: order.append("wait"))
    meter.times(lambda: sleeper("A", 0, order), lambda: sleeper("B", 0, order), pairs=1, warmup=0, device="cuda")
    assert order == ["wait", "A", "wait", "wait", "B", "wait"]


def test_no_pairs_is_refused():
    with pytest.raises(ValueError, match="at least 1"):
        meter.times(lambda: sleeper("A", 0, []), lambda: sleeper("B", 0, []), pairs=0)


@pytest.mark.parametrize(("n", "k"), [(1, 1), (5, 1), (6, 1), (8, 1), (9, 2), (12, 3), (20, 6)])
def test_the_interval_is_the_tabled_order_statistic(n, k):
    """David and Nagaraja's table for the median at 95 %."""
    assert interval(range(1, n + 1)) == (k, n - k + 1)


def test_the_interval_covers_the_median_nineteen_times_in_twenty():
    draw = random.Random(7)
    hits = 0
    for _ in range(2000):
        low, high = interval([draw.expovariate(1.0) for _ in range(9)])
        hits += low <= 0.6931 <= high
    assert hits / 2000 > 0.94
