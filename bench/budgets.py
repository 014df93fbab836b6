"""The least repeated work under a budget of bytes: a pyramid of unequal blocks, its frontier solved, then executed."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from bench.stacks import Block, drawn
from grader import frontier, meter
from grader.frontier import BlockProfile, Schedule
from grader.meter import Metered

BATCH, TOKENS, WIDTH, STAGES, DEPTH = 4, 512, 32, 4, 4
BLOCKS = STAGES * DEPTH
SHARES = (0.2, 0.4, 0.6, 0.8)
SHAPE = (
    f"A pyramid of {STAGES} stages of {DEPTH} transformer blocks, "
    f"{TOKENS} tokens of width {WIDTH} to {TOKENS // 2 ** (STAGES - 1)} of {WIDTH * 2 ** (STAGES - 1)}, fp32"
)


class Merge(nn.Module):
    """Join two neighbouring tokens into one of twice the width, then run a block."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.join, self.block = nn.Linear(width, width), Block(width, heads)

    def forward(self, x_BSD: Tensor) -> Tensor:
        B, S, D = x_BSD.shape
        return self.block(self.join(x_BSD.reshape(B, S // 2, 2 * D)))


def pyramid() -> tuple[nn.ModuleList, Tensor]:
    """Return four stages of four blocks: each has half the tokens of the one before, at twice the width."""
    torch.manual_seed(0)
    blocks: list[nn.Module] = []
    for stage in range(STAGES):
        width, heads = WIDTH * 2**stage, 2**stage
        first = Merge(width, heads) if stage else Block(width, heads)
        blocks += [first, *(Block(width, heads) for _ in range(DEPTH - 1))]
    return nn.ModuleList(blocks), torch.randn(BATCH, TOKENS, WIDTH)


def run(schedule: Schedule) -> Metered:
    blocks, x_BSD = pyramid()
    program = frontier.program(blocks, x_BSD, schedule)
    for _, phase in program.phases:
        phase()
    return meter.run(frontier.program(blocks, x_BSD, schedule))


def equal(segments: int) -> Schedule:
    return frontier.replayed([BLOCKS // segments] * segments)


def byte_frontier() -> dict[str, Any]:
    """The pyramid in equal segments, and the best schedules for the same and for other budgets, all executed."""
    blocks, x_BSD = pyramid()
    profile = frontier.measure(blocks, x_BSD)
    plain = run(frontier.plain(BLOCKS))
    forward = plain.flops_by_phase["forward"]
    found: dict[str, Any] = {"forward_flops": forward}
    runs: dict[str, Metered] = {}

    def add(name: str, schedule: Schedule) -> None:
        made = runs[name] = run(schedule)
        found[f"{name}_predicted_peak_bytes"] = frontier.peak_bytes(profile, schedule)
        found[f"{name}_predicted_replayed_of_forward_fraction"] = frontier.recomputed_flops(profile, schedule) / forward
        found[f"{name}_peak_bytes"] = made.peak_bytes
        found[f"{name}_peak_of_plain_fraction"] = made.peak_bytes / plain.peak_bytes
        found[f"{name}_replayed_of_forward_fraction"] = made.replay_flops / forward
        found[f"{name}_blocks_kept"] = sum(isinstance(part, frontier.Keep) for part in schedule)
        found[f"{name}_segments"] = sum(isinstance(part, frontier.Replay) for part in schedule)

    add("plain", frontier.plain(BLOCKS))
    for segments in (2, 4, 8, 16):
        add(f"equal{segments}", equal(segments))
    for segments in (4, 8, 16):
        budget = frontier.peak_bytes(profile, equal(segments))
        add(f"best_at_equal{segments}", frontier.best(profile, budget).schedule)
    whole = frontier.peak_bytes(profile, frontier.plain(BLOCKS))
    least = frontier.smallest(profile)
    for share in SHARES:
        budget = int(least.peak_bytes + share * (whole - least.peak_bytes))
        add(f"best_{100 * share:.0f}", frontier.best(profile, budget).schedule)
    add("least", least.schedule)
    add("least_nested", frontier.smallest(profile, replays=None).schedule)
    first, last = profile[0], profile[-1]
    return {
        "title": SHAPE,
        "timelines": drawn({"the best under its peak": runs["best_at_equal4"], "four equal segments": runs["equal4"]}),
        "peak": runs["best_at_equal4"].peak,
        "numbers": found | sizes("first", first) | sizes("last", last),
    }


def sizes(name: str, block: BlockProfile) -> dict[str, int]:
    return {
        f"{name}_block_saved_bytes": block.saved_bytes,
        f"{name}_block_output_bytes": block.output_bytes,
        f"{name}_block_forward_flops": block.forward_flops,
    }
