"""Requests at once and a second: Little's law, both bounds, and a play of continuous batching."""

from __future__ import annotations

import pytest

from courses.calculators import InputError, get

compute = get("serving-capacity").compute


def test_requests_in_flight_are_rate_times_time():
    result = compute({"rate": 7})
    assert result["in_flight"] == pytest.approx(7 * result["request_seconds"])
    assert result["batch"] == pytest.approx(result["served"] * result["request_seconds"])


def test_memory_bounds_a_small_pool_and_latency_a_short_time():
    small, short = compute({"pool": 5}), compute({"token_time": 20})
    assert small["batch"] == small["by_memory"] < small["by_latency"]
    assert short["batch"] == short["by_latency"] < short["by_memory"]


def test_the_batch_meets_the_time_and_one_more_would_not():
    result = compute({})
    assert result["step_seconds"] <= 0.05
    each = (result["step_seconds"] - 15e9 / 3.35e12) / result["batch"]
    assert result["step_seconds"] + each > 0.05


def test_a_play_of_steady_batching_serves_the_same():
    inputs = {"pool": 5, "output": 400}
    result = compute(inputs)
    batch, seconds, done = result["batch"], 0.0, 0
    left = [1 + 400 * slot // batch for slot in range(batch)]  # as far along as they would be in the long run
    for _ in range(20_000):
        held = sum(2000 + 400 - rest + 0.5 for rest in left)
        seconds += (15e9 + held * 128 * 1024) / 3.35e12
        left = [rest - 1 for rest in left]
        ended = left.count(0)
        left = [rest or 400 for rest in left]
        seconds += ended * 2 * 8e9 * 2000 / 500e12  # their successors' prompts
        done += ended
    assert result["served"] == pytest.approx(done / seconds, rel=0.01)


def test_prefill_elsewhere_leaves_more_room_and_is_counted_in_devices_of_its_own():
    here, elsewhere = compute({}), compute({"prefill": "elsewhere"})
    assert elsewhere["by_latency"] > here["by_latency"]
    assert elsewhere["prefill_share"] == 0
    assert here["prefill_devices"] == elsewhere["prefill_devices"] == pytest.approx(10 * 2 * 8e9 * 2000 / 500e12)


def test_a_prefix_found_is_not_computed():
    assert compute({"reused": 0.75})["prefill_seconds"] == pytest.approx(compute({})["prefill_seconds"] / 4)


@pytest.mark.parametrize(("inputs", "field"), [({"pool": 0.1}, "pool"), ({"token_time": 4}, "token_time")])
def test_what_cannot_be_says_so(inputs, field):
    with pytest.raises(InputError) as refused:
        compute(inputs)
    assert field in refused.value.errors
