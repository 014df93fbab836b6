"""What the labs on schedules tell a learner is what the frontier and the meter say."""

import random
from itertools import pairwise

import pytest
import torch
from torch import nn

from grader import catalog, frontier, lab_code, meter
from grader.frontier import BlockProfile, Keep, Replay


def parts_of(lab):
    found = catalog.load(catalog.root() / lab)
    return lab_code.harness(found), lab_code.judge(found)


@pytest.fixture(scope="module")
def byte_budget():
    return parts_of("byte-budget")


def blocks_of(harness, case):
    widths = case["widths"]
    return nn.ModuleList(
        harness.Block(widths[i], hidden, widths[i + 1], activations)
        for i, (hidden, activations) in enumerate(zip(case["hidden"], case["activations"], strict=True))
    )


def test_the_peak_that_learners_are_told_is_the_frontiers(byte_budget):
    harness, judge = byte_budget
    rng = random.Random(1)
    for chain in judge.CHAINS:
        profile = judge.profile_of(chain)
        for _ in range(20):
            cuts = [0, *sorted(rng.sample(range(1, len(profile)), 4)), len(profile)]
            parts = [(first, end, rng.random() < 0.5) for first, end in pairwise(cuts)]
            schedule = []
            for first, end, replay in parts:
                kept = tuple(Keep(block) for block in range(first, end))
                schedule += [Replay(kept)] if replay else kept
            assert harness.predicted_peak(harness.profile_of(chain), parts) == frontier.peak_bytes(profile, schedule)


def test_the_profile_written_down_is_what_is_metered(byte_budget):
    harness, _ = byte_budget
    meter.warm()
    case = {**harness.PUBLIC_CHAIN, "rows": 512}
    metered = frontier.measure(blocks_of(harness, case), torch.randn(512, case["widths"][0], requires_grad=True))
    for told, seen in zip(harness.profile_of(case), metered, strict=True):
        assert (told.saved_bytes, told.output_bytes, told.forward_flops) == (
            seen.saved_bytes,
            seen.output_bytes,
            seen.forward_flops,
        )
        # A learner may hold the output and its gradient, and has 256 KiB on top.
        assert seen.workspace_bytes <= told.workspace_bytes <= seen.workspace_bytes + 2 * seen.output_bytes + 2**18


def test_the_grid_of_the_judge_rounds_nothing(byte_budget):
    _, judge = byte_budget
    for chain in (*judge.CHAINS, *judge.BLOCKS):
        ample = judge.bounds(chain)[1]
        assert all(size % (4 * chain["rows"]) == 0 for block in judge.profile_of(chain) for size in _bytes(block))
        assert ample // (4 * chain["rows"]) < judge.STEPS


def test_a_submission_draws_budgets_from_few(byte_budget):
    harness, judge = byte_budget
    drawn = [case for seed in range(200) for case in judge.cases(random.Random(seed), harness, "submit")]
    assert len({(case["rows"], *case["widths"], case["budget"]) for case in drawn if case["measure"]}) <= 40


def test_the_best_segmentation_of_equal_blocks_follows_from_their_measured_profile():
    harness, _ = parts_of("sqrt-segments")
    meter.warm()
    torch.manual_seed(0)
    blocks = nn.ModuleList(harness.Block(32) for _ in range(16))
    profile = frontier.measure(blocks, torch.randn(1024, 32, requires_grad=True))
    units = frontier.smallest([BlockProfile(1, 1, 1, 1)] * 16)
    best = frontier.smallest(profile)
    assert units.peak_bytes == 9
    assert frontier.peak_bytes(profile, units.schedule) == best.peak_bytes


def _bytes(block):
    return block.saved_bytes, block.output_bytes, block.workspace_bytes
