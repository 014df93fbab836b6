"""Expert-parallel traffic: against a router that is simulated, a published estimate, and counts by hand."""

from __future__ import annotations

import random

import pytest

from courses.calculators import InputError, get

compute = get("all-to-all").compute


def simulated(tokens: int, top_k: int, experts: int, devices: int) -> tuple[float, float]:
    """Route uniformly; return remote rows a device, sent per expert and sent per device hit."""
    rng = random.Random(0)
    per_expert = per_device = 0
    for home in range(devices):
        for _ in range(tokens):
            at = [expert // (experts // devices) for expert in rng.sample(range(experts), top_k)]
            per_expert += sum(device != home for device in at)
            per_device += len(set(at) - {home})
    return per_expert / devices, per_device / devices


@pytest.mark.parametrize(("top_k", "experts", "devices"), [(8, 256, 16), (2, 8, 8), (6, 8, 2)])
def test_rows_are_those_of_a_simulated_router(top_k, experts, devices):
    inputs = {"tokens": 2000, "hidden": 1, "top_k": top_k, "experts": experts, "devices": devices, "element_bytes": 1}
    per_expert, per_device = simulated(2000, top_k, experts, devices)
    assert compute(inputs)["dispatch_bytes"] == pytest.approx(per_expert, rel=0.02)
    assert compute(inputs | {"copies": "device"})["dispatch_bytes"] == pytest.approx(per_device, rel=0.02)


def test_a_published_estimate_comes_out():
    """32 tokens to 9 experts at 7,000 elements, 1 byte there and 2 back, over 50 GB/s: 120.96 µs (arXiv 2505.09343).

    It counts every row as remote, and the shared expert as a ninth.
    """
    result = compute({"tokens": 32, "top_k": 9, "hidden": 7000, "element_bytes": 1, "devices": 256})
    assert result["forward_seconds"] / result["remote_share"] == pytest.approx(120.96e-6)


def test_a_layer_by_hand():
    result = compute({"tokens": 4096, "hidden": 7168, "top_k": 8, "experts": 256, "devices": 64})
    assert result["dispatch_bytes"] == 4096 * 8 * 7168 * 2 * 63 // 64 == 462_422_016
    assert result["forward_bytes"] == 2 * 462_422_016
    assert result["forward_seconds"] == pytest.approx(2 * 462_422_016 / 50e9)
    assert result["tokens_per_expert"] == 4096 * 64 * 8 / 256


def test_all_tokens_to_one_device_is_an_imbalance_of_all_devices():
    result = compute({"tokens": 100, "hidden": 1, "top_k": 1, "experts": 4, "devices": 4, "imbalance": 4})
    assert result["busiest_rows"] == 400
    assert result["dispatch_seconds"] == pytest.approx(2 * 300 / 50e9)  # the other three devices' rows, 2 bytes each


def test_one_device_sends_nothing():
    assert compute({"devices": 1})["forward_bytes"] == 0


def test_a_row_for_each_device_is_never_more_than_a_row_for_each_expert():
    by_expert, by_device = (
        compute({"devices": 8, "copies": copies})["dispatch_bytes"] for copies in ("expert", "device")
    )
    assert by_device < by_expert


@pytest.mark.parametrize(
    ("inputs", "field"), [({"devices": 48}, "devices"), ({"top_k": 300}, "top_k"), ({"imbalance": 65}, "imbalance")]
)
def test_what_cannot_be_is_refused(inputs, field):
    with pytest.raises(InputError) as refused:
        compute(inputs)
    assert field in refused.value.errors
