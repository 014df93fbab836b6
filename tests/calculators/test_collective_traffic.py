"""Collectives: the formulas against rings that are played message by message."""

from __future__ import annotations

import pytest

from courses.calculators import InputError, get

compute = get("collective-traffic").compute


def play_ring(devices: int, passes: str) -> tuple[list[list[set[int]]], int, int]:
    """Play a ring over chunks, each the set of devices whose part is in it.

    Return what each device ends with, chunks sent by device 0, and steps. `passes` is "r", "g" or "rg".
    """
    if passes == "g":
        held = [
            [set(range(devices)) if chunk == rank else set() for chunk in range(devices)] for rank in range(devices)
        ]
    else:
        held = [[{rank} for _ in range(devices)] for rank in range(devices)]
    sent = steps = 0
    for phase in passes:
        # After a reduce pass, device r holds chunk r + 1 whole; a gather alone begins with its own.
        first = 1 if (phase, passes) == ("g", "rg") else 0
        for step in range(devices - 1):
            messages = [(rank, (rank + first - step) % devices) for rank in range(devices)]
            payload = [set(held[rank][chunk]) for rank, chunk in messages]
            for (rank, chunk), parts in zip(messages, payload, strict=True):
                held[(rank + 1) % devices][chunk] |= parts
            sent += 1
            steps += 1
    return held, sent, steps


@pytest.mark.parametrize("devices", [2, 3, 8])
@pytest.mark.parametrize(("operation", "passes"), [("all-reduce", "rg"), ("reduce-scatter", "r"), ("all-gather", "g")])
def test_bytes_and_steps_are_those_of_a_ring_that_is_played(operation, passes, devices):
    held, sent, steps = play_ring(devices, passes)
    everyone = set(range(devices))
    if passes == "r":
        assert all(held[rank][(rank + 1) % devices] == everyone for rank in range(devices))
    else:
        assert all(chunk == everyone for rank in held for chunk in rank)
    result = compute({"operation": operation, "devices": devices, "buffer": f"{devices * 1000} bytes"})
    assert result["sent_bytes"] == sent * 1000
    assert result["steps"] == steps


def test_an_all_reduce_is_a_reduce_scatter_and_an_all_gather():
    parts = [compute({"operation": operation}) for operation in ("reduce-scatter", "all-gather")]
    whole = compute({"operation": "all-reduce"})
    assert whole["sent_bytes"] == sum(part["sent_bytes"] for part in parts)
    assert whole["seconds"] == pytest.approx(sum(part["seconds"] for part in parts))


def test_golden_eight_devices_one_gigabyte():
    result = compute({})
    assert result["sent_bytes"] == 1_750_000_000
    assert result["bandwidth_seconds"] == pytest.approx(1.75 / 450)
    assert result["latency_seconds"] == pytest.approx(14 * 5e-6)
    assert result["bus_bandwidth"] == pytest.approx(1.75e9 / (1.75 / 450 + 70e-6))


@pytest.mark.parametrize(("devices", "steps"), [(2, 2), (8, 6), (9, 8), (1024, 20)])
def test_a_tree_takes_two_logarithms_of_steps_and_sends_as_much(devices, steps):
    tree, ring = (compute({"devices": devices, "algorithm": name}) for name in ("tree", "ring"))
    assert tree["steps"] == steps
    assert tree["sent_bytes"] == ring["sent_bytes"]


def test_at_the_half_rate_buffer_latency_is_half_the_time():
    size = compute({"devices": 64})["half_rate_bytes"]
    result = compute({"devices": 64, "buffer": f"{size} bytes"})
    assert result["latency_seconds"] == pytest.approx(result["bandwidth_seconds"])
    assert size == pytest.approx(64 * 5e-6 * 450e9)  # N · latency · rate, for a ring


def test_one_device_sends_nothing():
    result = compute({"devices": 1})
    assert (result["sent_bytes"], result["seconds"], result["bus_bandwidth"]) == (0, 0, 0)


def test_a_tree_for_another_operation_is_refused():
    with pytest.raises(InputError) as refused:
        compute({"operation": "all-gather", "algorithm": "tree"})
    assert "algorithm" in refused.value.errors
