"""The roofline: which of the two bounds holds, and where they meet."""

from __future__ import annotations

import pytest

from courses.calculators import InputError, get
from courses.calculators.hardware import DENSE_PEAK_FLOPS, MEMORY_BYTES_PER_S

compute = get("roofline").compute


def test_every_device_has_a_memory_rate():
    assert MEMORY_BYTES_PER_S.keys() == DENSE_PEAK_FLOPS.keys()


def test_a_square_product_has_an_intensity_of_a_third_of_its_side_in_16_bit():
    assert compute({})["intensity"] == pytest.approx(4096 / 3)


def test_the_bound_changes_at_the_ridge_point():
    ridge = compute({})["ridge"]
    for share, by in ((0.9, "memory_seconds"), (1.1, "compute_seconds")):
        result = compute({"operation": "given", "flops": 1e12 * ridge * share, "moved": 1000})
        assert result["seconds"] == result[by]
        assert result["attainable_share"] == pytest.approx(min(1, share))


def test_a_decode_step_reads_weights_once_for_the_batch_and_each_cache_once():
    one = compute({"operation": "decode", "parameters": "8B", "cache_bytes": 1})
    many = compute({"operation": "decode", "parameters": "8B", "cache_bytes": 1, "batch": 64})
    assert one["moved"] == 16e9 + 2**30
    assert many["moved"] == 16e9 + 64 * 2**30
    assert many["flops"] == 64 * one["flops"]
    assert many["tokens_per_second"] > 12 * one["tokens_per_second"]


def test_without_a_cache_the_intensity_of_decode_is_the_batch_in_16_bit():
    assert compute({"operation": "decode", "batch": 37})["intensity"] == 37


def test_no_work_is_refused():
    with pytest.raises(InputError):
        compute({"operation": "given", "flops": 0})
