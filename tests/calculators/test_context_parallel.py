"""Context parallelism: against the other calculators where they meet, and rings that are counted out."""

from __future__ import annotations

import pytest

from courses.calculators import InputError, get

compute = get("context-parallel").compute


def pairs(c: int, chunks_of: dict[int, list[int]]) -> list[float]:
    """Return each rank's causal work, in chunk pairs: whole below the diagonal, half on it."""
    every = [chunk for chunks in chunks_of.values() for chunk in chunks]
    work = []
    for rank in range(c):
        work.append(sum(1 if q > k else 0.5 if q == k else 0 for q in chunks_of[rank] for k in every))
    return work


def test_what_a_layer_keeps_is_the_other_calculators_where_both_apply():
    other = get("activation-bytes-layer").compute(
        {
            "sequence": 4096, "batch": 1, "hidden": 4096, "heads": 32, "attention": "fused", "dropout": "off",
            "tensor_parallel": 4, "sequence_parallel": "on",
        }
    )  # fmt: skip
    ours = compute(
        {
            "sequence": 4 * 4096, "context_parallel": 4, "tensor_parallel": 4, "heads": 32, "kv_heads": 32,
            "d_ff": 4 * 4096, "mlp": "plain",
        }
    )  # fmt: skip
    assert ours["layer_bytes"] == other["layer_bytes"]


def test_a_ring_message_is_the_cache_of_its_tokens_over_the_layers_and_the_kv_heads_a_rank_has():
    cache = get("kv-cache").compute({"layers": 126, "kv_heads": 8, "tokens": 8192})["total_bytes"]
    assert compute({})["kv_bytes"] == cache / 126 / 8


def test_more_tensor_ranks_than_kv_heads_do_not_make_the_message_smaller():
    assert compute({"tensor_parallel": 16})["kv_bytes"] == compute({"tensor_parallel": 8})["kv_bytes"]


def test_golden_405b_at_128k():
    result = compute({})
    assert result["kv_bytes"] == 2 * 8192 * 1 * 128 * 2 == 4_194_304
    assert result["kv_traffic"] == 15 * 4_194_304
    assert result["exchange_bytes"] == 2 * 8192 * 17 * 128 * 2 * 15 / 16
    assert result["layer_bytes"] == 8192 * 2 * (6 * 16_384 + 3 * 53_248 + 2 * 8 * 128) / 8
    assert result["attention_flops"] == 4 * 131_072**2 * 16 * 128 / 2 / 16
    assert result["tokens_to_hide"] == pytest.approx(2 / 16 * 989e12 * 0.5 / 50e9)


@pytest.mark.parametrize("c", [2, 4, 16])
def test_runs_make_the_last_rank_the_busiest_and_a_zig_zag_none(c):
    runs = pairs(c, {rank: [rank] for rank in range(c)})
    assert compute({"context_parallel": c})["contiguous_slowdown"] == pytest.approx(max(runs) * c / sum(runs))
    zigzag = pairs(c, {rank: [rank, 2 * c - 1 - rank] for rank in range(c)})
    assert len(set(zigzag)) == 1


def test_the_message_is_hidden_exactly_from_the_stated_tokens_on():
    enough = compute({"bandwidth": 10})["tokens_to_hide"]
    for share in (0.9, 1.1):
        n = round(enough * share)
        result = compute({"bandwidth": 10, "sequence": 16 * n})
        assert (result["overlap"] >= 1) == (share > 1)
        assert result["tokens_to_hide"] == enough


def test_alone_nothing_is_sent():
    result = compute({"context_parallel": 1})
    assert (result["kv_traffic"], result["exchange_bytes"]) == (0, 0)


@pytest.mark.parametrize(
    ("inputs", "field"), [({"context_parallel": 3}, "context_parallel"), ({"tensor_parallel": 3}, "tensor_parallel")]
)
def test_what_does_not_divide_is_refused(inputs, field):
    with pytest.raises(InputError) as refused:
        compute(inputs)
    assert field in refused.value.errors
