"""The chain of blocks: the square root, the unequal segments, the last segment, early stop."""

from __future__ import annotations

import math

import pytest

from courses.calculators import InputError, checkpoint_tradeoff, get

compute = get("checkpoint-tradeoff").compute


def held_by_simulation(blocks: int, block: float, boundary: float, segments: int) -> float:
    """Walk backward over the segments and return the most bytes held."""
    base, longer = divmod(blocks, segments)
    lengths = [base + 1] * longer + [base] * (segments - longer)
    return max(index * boundary + length * block for index, length in enumerate(lengths))


@pytest.mark.parametrize("blocks", [1, 2, 7, 16, 36, 50])
def test_the_peak_is_that_of_walking_the_segments(blocks):
    for segments in range(1, blocks + 1):
        assert checkpoint_tradeoff.peak_bytes(blocks, 10, 1, segments) == held_by_simulation(blocks, 10, 1, segments)


@pytest.mark.parametrize("blocks", [1, 7, 16, 36, 50, 200])
@pytest.mark.parametrize("block", [1, 3, 10, 100])
def test_the_best_number_of_segments_is_best_of_all(blocks, block):
    peaks = [held_by_simulation(blocks, block, 1, count) for count in range(1, blocks + 1)]
    best = checkpoint_tradeoff.best_segments(blocks, block, 1)
    assert peaks[best - 1] == min(peaks)


@pytest.mark.parametrize("blocks", [16, 64, 256, 1024, 10_000])
def test_the_lowest_peak_grows_with_the_square_root(blocks):
    peak = compute({"blocks": blocks, "block_bytes": 1, "boundary_bytes": 1})["peak_bytes"] / 2**20
    assert peak == pytest.approx(2 * math.sqrt(blocks), abs=1.5)


@pytest.mark.parametrize("root", [2, 3, 6, 8, 12])
def test_among_equal_peaks_the_even_cut_is_named(root):
    assert compute({"blocks": root * root, "block_bytes": 1, "boundary_bytes": 1})["segments"] == root


def test_one_segment_saves_nothing_and_costs_a_forward():
    result = compute({"segments": 1})
    assert result["peak_bytes"] == result["plain_bytes"]
    assert result["extra_forward"] == 1


def test_full_checkpointing_repeats_one_forward_which_is_a_third_of_a_step():
    result = compute({"blocks": 32, "segments": 32})
    assert result["extra_forward"] == 1
    assert result["extra_step"] == pytest.approx(1 / 3)


def test_a_plain_last_segment_is_not_computed_twice_and_the_peak_is_the_same():
    checkpointed, plain = (compute({"segments": 4, "last": last}) for last in ("checkpointed", "plain"))
    assert plain["extra_forward"] == 0.75
    assert plain["peak_bytes"] == checkpointed["peak_bytes"]
    assert plain["saved_bytes"] > checkpointed["saved_bytes"]


def test_early_stop_lowers_the_work_and_not_the_bytes():
    whole, stopped = compute({"segments": 16}), compute({"segments": 16, "skipped": "50 %"})
    assert stopped["extra_forward"] == whole["extra_forward"] / 2
    assert stopped["peak_bytes"] == whole["peak_bytes"]


def test_a_boundary_larger_than_its_block_and_more_segments_than_blocks_are_refused():
    for inputs, field in (({"boundary_bytes": 11}, "boundary_bytes"), ({"segments": 17}, "segments")):
        with pytest.raises(InputError) as refused:
            compute(inputs)
        assert field in refused.value.errors
