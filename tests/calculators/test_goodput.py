"""Goodput: the formula against a simulated run, and the interval that is best."""

from __future__ import annotations

import random

import pytest

from courses.calculators import InputError, get

compute = get("goodput").compute


def simulated(between: float, every: float, save: float, restart: float, seed: int = 0) -> float:
    """Run segments of work and save, with failures at random, and return the share of time that counted."""
    rng = random.Random(seed)
    wall = 0.0
    segments = 20_000
    for _ in range(segments):
        while (failure := rng.expovariate(1 / between)) < every + save:
            wall += failure
            while (again := rng.expovariate(1 / between)) < restart:
                wall += again
            wall += restart
        wall += every + save
    return segments * every / wall


@pytest.mark.parametrize(("interval", "restart"), [(5, 10), (30, 10), (120, 30)])
def test_it_is_what_a_simulated_run_gives(interval, restart):
    result = compute({"interval": interval, "restart": restart})
    expected = simulated(result["between_failures"], 60 * interval, 30, 60 * restart)
    assert result["goodput"] == pytest.approx(expected, abs=0.01)


def test_no_other_interval_beats_youngs_by_much():
    best = compute({})
    others = [compute({"interval": best["interval"] / 60 * factor})["goodput"] for factor in (0.3, 0.7, 1.4, 3)]
    assert max(others) < best["goodput"] + 0.001


def test_twice_the_devices_fail_twice_as_often():
    assert compute({"devices": 200})["between_failures"] * 2 == compute({"devices": 100})["between_failures"]


def test_a_job_that_never_reaches_a_save_is_refused():
    with pytest.raises(InputError, match="too often"):
        compute({"device_mtbf": 0.1, "interval": 60})
