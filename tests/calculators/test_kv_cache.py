"""Few bits with scales, and ranks, of a key/value cache; what is published is in test_published_runs."""

from __future__ import annotations

import pytest

from courses.calculators import get

compute = get("kv-cache").compute


def test_four_bits_take_half_the_bytes_of_eight():
    four, eight = (compute({"element_bytes": size})["bytes_per_token"] for size in ("0.5", "1"))
    assert 2 * four == eight == 65_536


def test_scales_are_added_for_every_started_group():
    # 2,048 elements a layer: 1,024 bytes in four bits, and 32 groups of 64 with two numbers of 16 bits each
    inputs = {"element_bytes": "0.5", "scale_group": 64, "scale_bytes": 4}
    assert compute(inputs)["bytes_per_token"] == 32 * (1024 + 32 * 4)
    assert compute(inputs | {"scale_group": 2047})["bytes_per_token"] == 32 * (1024 + 2 * 4)


def test_a_scale_and_a_zero_point_for_every_32_elements_add_one_bit():
    bits = compute({"element_bytes": "0.5", "scale_group": 32, "scale_bytes": 4})["bytes_per_token"] * 8
    assert bits / (32 * 2048) == 5


def test_the_scales_of_a_rank_are_those_of_its_own_heads():
    inputs = {"element_bytes": "1", "scale_group": 128}
    one, eight = (compute(inputs | {"tensor_parallel": ranks}) for ranks in (1, 8))
    assert eight["rank_bytes"] * 8 == one["rank_bytes"] == one["total_bytes"]


def test_an_odd_number_of_four_bit_elements_is_rounded_up_to_a_byte():
    assert (
        compute({"kind": "latent", "layers": 1, "latent": 1, "rope": 0, "element_bytes": "0.5"})["bytes_per_token"] == 1
    )


@pytest.mark.parametrize(("ranks", "of_total"), [(2, 1), (8, 1), (16, 2), (3, 1.125)])
def test_ranks_keep_whole_heads_and_at_least_one(ranks, of_total):
    result = compute({"tensor_parallel": ranks})
    assert result["all_ranks_bytes"] == of_total * result["total_bytes"]


def test_a_latent_is_copied_to_every_rank():
    result = compute({"kind": "latent", "tensor_parallel": 8})
    assert result["all_ranks_bytes"] == 8 * result["total_bytes"]
