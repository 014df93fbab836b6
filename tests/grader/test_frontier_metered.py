"""The frontier's schedules executed and metered: what was predicted is what the allocator counts."""

import pytest
import torch
from torch import nn

from grader import frontier, meter
from grader.frontier import BlockProfile, peak_bytes, plain, recomputed_flops, replayed

RANDOM_STATE_BYTES = 5_056
"""torch's checkpoint keeps the random state, 5,056 bytes on the CPU, for each call that is open."""

ROWS = 256


class Block(nn.Module):
    """Two linear layers between activations; sizes differ from block to block."""

    def __init__(self, width, hidden, out, activations, dropout=0.0):
        super().__init__()
        self.up, self.down = nn.Linear(width, hidden), nn.Linear(hidden, out)
        self.activations, self.dropout = activations, dropout

    def forward(self, x_RD):
        h_RH = self.up(x_RD)
        for _ in range(self.activations):
            h_RH = nn.functional.gelu(h_RH)
        h_RH = nn.functional.dropout(h_RH, self.dropout, self.training)
        return nn.functional.gelu(self.down(h_RH))


@pytest.fixture(scope="module", autouse=True)
def warm():
    meter.warm()


def unequal(dropout=0.0):
    torch.manual_seed(1)
    widths = [32, 48, 32, 64, 32, 16, 32]
    hidden = [32, 128, 64, 48, 96, 32]
    blocks = nn.ModuleList(
        Block(widths[i], hidden[i], widths[i + 1], activations, dropout)
        for i, activations in enumerate([1, 2, 4, 1, 3, 2])
    )
    return blocks, torch.randn(ROWS, 32, requires_grad=True)


def metered(blocks, x, schedule):
    for _, phase in frontier.program(blocks, x, schedule).phases:
        phase()
    return meter.run(frontier.program(blocks, x, schedule))


def test_a_measured_profile_is_what_can_be_written_down_by_hand():
    blocks, x = unequal()
    first = frontier.measure(blocks, x)[0]
    rows, width, hidden, out = ROWS, 32, 32, 48
    assert first.output_bytes == 4 * rows * out
    assert first.saved_bytes == 4 * rows * (2 * hidden + out)  # GELU's input twice, and what `down` reads
    assert first.forward_flops == 2 * rows * hidden * (width + out)


@pytest.mark.parametrize("replays", [1, None])
def test_predicted_peaks_and_work_are_what_is_measured(replays):
    blocks, x = unequal()
    profile = frontier.measure(blocks, x)
    ample, least = peak_bytes(profile, plain(6)), frontier.smallest(profile, replays).peak_bytes
    budgets = [least + (ample - least) * part // 4 for part in range(5)]
    points = frontier.frontier(profile, budgets, replays)
    for schedule in (plain(6), replayed([1] * 6), replayed([2, 2, 2]), *(point.schedule for point in points)):
        run = metered(blocks, x, schedule)
        excess = run.peak_bytes - peak_bytes(profile, schedule)
        assert 0 <= excess <= 6 * RANDOM_STATE_BYTES, schedule
        assert run.replay_flops == recomputed_flops(profile, schedule)
    assert metered(blocks, x, plain(6)).peak_bytes == ample


@pytest.mark.parametrize("replays", [1, 2, None])
def test_every_schedule_gives_the_plain_gradients(replays):
    blocks, x = unequal(dropout=0.2)
    profile = frontier.measure(blocks, x)

    def gradients(schedule):
        torch.manual_seed(2)
        return torch.autograd.grad(frontier.execute(blocks, x, schedule).square().mean(), [x, *blocks.parameters()])

    want = gradients(plain(6))
    got = gradients(frontier.smallest(profile, replays).schedule)
    assert all(torch.equal(left, right) for left, right in zip(got, want, strict=True))


def test_measuring_leaves_gradients_and_random_state_alone():
    blocks, x = unequal(dropout=0.2)
    blocks[0].up.weight.grad = torch.ones_like(blocks[0].up.weight)
    before = torch.get_rng_state()
    frontier.measure(blocks, x)
    assert torch.equal(torch.get_rng_state(), before)
    assert torch.equal(blocks[0].up.weight.grad, torch.ones_like(blocks[0].up.weight))
    assert blocks[1].up.weight.grad is None
    assert x.grad is None


def test_a_block_that_returns_its_input_keeps_nothing():
    assert frontier.measure(nn.ModuleList([nn.Identity()]), torch.ones(64, 64, requires_grad=True))[0] == BlockProfile(
        saved_bytes=0, output_bytes=0, workspace_bytes=pytest.approx(64 * 64 * 4, abs=64), forward_flops=0
    )
