"""Blocks and concurrency, as serving engines print them."""

from __future__ import annotations

import pytest

from courses.calculators import InputError, get
from tests.calculators.facts import facts, half_a_digit

compute = get("paged-cache").compute


@pytest.mark.parametrize("row", facts("kv_cache")["engine_reports"]["rows"], ids=lambda row: row["inputs"]["blocks"])
def test_what_an_engine_printed_comes_out(row):
    result = compute(row["inputs"])
    assert result["tokens"] == row["tokens"]
    assert result["concurrency"] == pytest.approx(row["concurrency"], abs=half_a_digit(row["concurrency"]))
    if "gib" in row:
        assert result["cache_bytes"] / 2**30 == pytest.approx(row["gib"], abs=half_a_digit(row["gib"]))


def test_blocks_fill_what_is_left_and_one_more_would_not_fit():
    result = compute({"available": 3.9})
    assert result["blocks"] * result["block_bytes"] <= 3.9 * 2**30 < (result["blocks"] + 1) * result["block_bytes"]


def test_a_block_holds_the_cache_of_its_tokens():
    assert compute({})["block_bytes"] == 16 * get("kv-cache").compute({})["bytes_per_token"]


def test_more_ranks_than_kv_heads_do_not_make_a_block_smaller():
    assert compute({"tensor_parallel": 8})["block_bytes"] == compute({"tensor_parallel": 16})["block_bytes"]


def test_a_request_holds_whole_blocks():
    result = compute({"request_tokens": 8193})
    assert result["blocks_per_request"] == 513
    assert result["wasted"] == 15


@pytest.mark.parametrize(("inputs", "field"), [({"weights": 80}, "memory"), ({"available": 0.0001}, "available")])
def test_no_room_says_so(inputs, field):
    with pytest.raises(InputError) as refused:
        compute(inputs)
    assert field in refused.value.errors


def test_a_block_of_latents_is_the_latent_cache_of_its_tokens_on_every_rank():
    one, eight = (compute({"kind": "latent", "layers": 61, "tensor_parallel": ranks}) for ranks in (1, 8))
    assert one["block_bytes"] == 16 * get("kv-cache").compute({"kind": "latent", "layers": 61})["bytes_per_token"]
    assert eight["block_bytes"] == one["block_bytes"]
