"""Schedules of one update of a chain of blocks, and what each needs in bytes and work.

A schedule cuts the chain into parts, in order. A `Keep` runs one block as autograd does, keeping everything. A `Replay`
runs its blocks keeping only their input, and runs them again when backward arrives there, as its `inside` says. With
every `inside` made of `Keep` alone no block runs more than twice: an update then costs at most one extra forward.

This is the persistent model of Beaumont et al. 2019 ("Optimal checkpointing for heterogeneous chains", arXiv
1911.13214, the solver Rotor): a stored tensor stays until the backward that needs it, and blocks are opaque (all that
a block keeps is kept, or nothing). Segments replayed once are Chen et al. 2016 (arXiv 1604.06174); replays inside
replays on a chain are Griewank and Walther 2000 (ACM TOMS 26(1), "revolve").
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class BlockProfile:
    """Bytes and FLOPs of one block of a chain.

    saved_bytes      kept by autograd for the block's backward, its input and its output left out
    output_bytes     the block's output, which is the next block's input
    workspace_bytes  highest live bytes of the block's forward and backward, above the input and the two above:
                     gradients under way, and temporaries
    forward_flops    FLOPs of its forward (what one replay costs)
    """

    saved_bytes: int
    output_bytes: int
    workspace_bytes: int
    forward_flops: int

    @property
    def kept_bytes(self) -> int:
        """What stays after a forward that keeps everything."""
        return self.saved_bytes + self.output_bytes

    @property
    def live_bytes(self) -> int:
        """Highest live bytes, above the input, while the block goes forward and backward."""
        return self.kept_bytes + self.workspace_bytes


@dataclass(frozen=True)
class Keep:
    """One block, run once, everything kept."""

    block: int


@dataclass(frozen=True)
class Replay:
    """Blocks of which only the input is kept; backward runs them again, as `inside` says."""

    inside: tuple[Keep | Replay, ...]


Part = Keep | Replay
Schedule = tuple[Part, ...]


def plain(blocks: int) -> Schedule:
    """Return the schedule that keeps everything and recomputes nothing."""
    return tuple(Keep(block) for block in range(blocks))


def replayed(lengths: Sequence[int]) -> Schedule:
    """Return the schedule of segments that are all replayed once, of these lengths."""
    parts, first = [], 0
    for length in lengths:
        parts.append(Replay(tuple(Keep(block) for block in range(first, first + length))))
        first += length
    return tuple(parts)


def blocks_of(part: Part) -> Iterator[int]:
    """Yield the numbers of a part's blocks, in order."""
    if isinstance(part, Keep):
        yield part.block
    else:
        for inner in part.inside:
            yield from blocks_of(inner)


def peak_bytes(profile: Sequence[BlockProfile], schedule: Sequence[Part]) -> int:
    """Predict the highest live bytes of an update, above what was live before it (the chain's input, gradients).

    Block i needs `live_bytes` on top of what is kept before it when its backward runs: `kept_bytes` of each block that
    was kept or already replayed, and of an earlier `Replay` the output alone. Forward never needs more than
    the same block's backward, so backward decides.
    """
    kept = peak = 0
    for part in schedule:
        if isinstance(part, Keep):
            peak = max(peak, kept + profile[part.block].live_bytes)
            kept += profile[part.block].kept_bytes
        else:
            peak = max(peak, kept + peak_bytes(profile, part.inside))
            kept += profile[_last(part)].output_bytes
    return peak


def recomputed_flops(profile: Sequence[BlockProfile], schedule: Sequence[Part]) -> int:
    """Predict the FLOPs beyond the plain update's: each replay runs its blocks forward to the end of the last."""
    flops = 0
    for part in schedule:
        if isinstance(part, Replay):
            flops += sum(profile[block].forward_flops for block in blocks_of(part))
            flops += recomputed_flops(profile, part.inside)
    return flops


def _last(part: Part) -> int:
    while isinstance(part, Replay):
        part = part.inside[-1]
    return part.block
