"""Find the schedules that recompute least under a budget of bytes, by dynamic programming.

With `replays=r` a schedule is optimal over the class in which each block is replayed at most r times (r = 1: every
segment is kept, or replayed once; more: replays inside replays), and with `replays=None` over all persistent schedules
(the model and the recurrence of Beaumont et al. 2019, arXiv 1911.13214, with blocks kept whole or not at all). Let
C_r(i, j, m) be the least recomputed FLOPs of the forward and backward of blocks i to j−1 with m bytes free above block
i's input; C_0 keeps everything. Then C_r(i, j, m) is the least of

    C_r(i+1, j, m − kept_i)                                             where live_i <= m: block i is kept
    F(i..k−1) + C_{r−1}(i, k, m) + C_r(k, j, m − output_{k−1})            for i < k < j: blocks i to k−1 are replayed

(to replay the last part as well gains nothing). The least peak obeys the same recurrence with max in place of +, needs
no grid of m, and is exact.

On the grid of m, sizes are rounded up to whole steps. Where the sizes' greatest common divisor cuts the largest budget
into few enough steps nothing is rounded, and the optimum is exact; else a schedule still keeps its budget, and is the
best of those that would keep it with each size up to a step larger.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

import numpy as np

from grader.frontier.schedule import BlockProfile, Keep, Part, Replay, Schedule, peak_bytes, plain, recomputed_flops

MOST_STEPS = 4_096
MOST_STEPS_NESTED = 500
"""Steps of the grid: one table row a block where nothing nests, one a pair of blocks where replays do."""

Array = np.ndarray[Any, Any]

_KEEP = 0


class Impossible(ValueError):
    """No schedule of the class keeps the budget; `smallest_bytes` is the least budget that one does keep."""

    def __init__(self, budget_bytes: int, smallest_bytes: int) -> None:
        super().__init__(f"no schedule keeps to {budget_bytes:,} bytes: the least possible peak is {smallest_bytes:,}")
        self.smallest_bytes = smallest_bytes


@dataclass(frozen=True)
class Point:
    """One point of the frontier: a budget, the schedule found for it, and what it is predicted to need."""

    budget_bytes: int
    schedule: Schedule
    peak_bytes: int
    recomputed_flops: int


def frontier(
    profile: Sequence[BlockProfile], budgets: Sequence[int], replays: int | None = 1, steps: int | None = None
) -> list[Point | None]:
    """Return for each budget (bytes) the point of least recomputed work that keeps it, None where none can.

    replays  how often a block may be replayed, None for any number
    steps    most steps of the grid (4,096 for one replay, 500 for more); one solve serves all budgets

    Raises ValueError for an empty chain, a negative size, or `replays` below 1.
    """
    _examine(profile, replays)
    least = _Least(profile, replays)
    enough = peak_bytes(profile, plain(len(profile)))
    possible = [min(budget, enough) for budget in budgets if budget >= least.bytes]
    if not possible:
        return [None] * len(budgets)
    grids = [_Grid(profile, 1, max(possible), steps or MOST_STEPS)]
    if replays != 1:  # the grid of the wider class is coarser: where rounding loses more than nesting gains, the finer
        grids.append(_Grid(profile, replays, max(possible), steps or MOST_STEPS_NESTED))
    points: list[Point | None] = []
    for budget in budgets:
        found = [schedule for grid in grids if (schedule := grid.schedule(min(budget, enough)))]
        if not found and budget >= least.bytes:
            found = [least.schedule()]
        made = [Point(budget, each, peak_bytes(profile, each), recomputed_flops(profile, each)) for each in found]
        points.append(min(made, key=lambda point: (point.recomputed_flops, point.peak_bytes), default=None))
    return points


def best(profile: Sequence[BlockProfile], budget: int, replays: int | None = 1, steps: int | None = None) -> Point:
    """Return the point of least recomputed work that keeps `budget` bytes. Raises Impossible (a ValueError)."""
    point = frontier(profile, [budget], replays, steps)[0]
    if point is None:
        raise Impossible(budget, _Least(profile, replays).bytes)
    return point


def smallest(profile: Sequence[BlockProfile], replays: int | None = 1) -> Point:
    """Return the point of the least possible peak (exact), and of the least work found at it."""
    _examine(profile, replays)
    return best(profile, _Least(profile, replays).bytes, replays)


def _examine(profile: Sequence[BlockProfile], replays: int | None) -> None:
    if not profile:
        raise ValueError("the chain has no blocks: give the profile of at least one")
    for number, block in enumerate(profile):
        if min(block.saved_bytes, block.output_bytes, block.workspace_bytes, block.forward_flops) < 0:
            raise ValueError(f"block {number} has a negative size: {block}")
    if replays is not None and replays < 1:
        raise ValueError(f"replays must be at least 1, or None for any number, not {replays}")


class _Least:
    """The least possible peak of a chain, level by level; `_peak[level][i][j]` is that of blocks i to j−1."""

    def __init__(self, profile: Sequence[BlockProfile], replays: int | None) -> None:
        self.n, self.levels = len(profile), replays or 1
        self.any = replays is None
        self._choice: list[list[list[int]]] = [[]]
        peak = _kept_peaks(profile)
        for level in range(1, self.levels + 1):
            columns = [self.n] if level == self.levels and not self.any else range(1, self.n + 1)
            peak = self._level(profile, peak, columns)
        self.bytes = peak[0][self.n]

    def _level(
        self, profile: Sequence[BlockProfile], inner: list[list[int]], columns: Sequence[int]
    ) -> list[list[int]]:
        n = self.n
        peak = [[0] * (n + 1) for _ in range(n + 1)]
        choice = [[_KEEP] * (n + 1) for _ in range(n + 1)]
        if self.any:
            inner = peak
        for j in columns:
            for i in range(j - 1, -1, -1):
                found = max(profile[i].live_bytes, profile[i].kept_bytes + peak[i + 1][j])
                for k in range(i + 1, j):
                    other = max(inner[i][k], profile[k - 1].output_bytes + peak[k][j])
                    if other < found:
                        found, choice[i][j] = other, k
                peak[i][j] = found
        self._choice.append(choice)
        return peak

    def schedule(self) -> Schedule:
        return self._parts(self.levels, 0, self.n)

    def _parts(self, level: int, i: int, j: int) -> Schedule:
        if level == 0:
            return tuple(Keep(block) for block in range(i, j))
        parts: list[Part] = []
        while i < j:
            k = self._choice[level][i][j]
            if k == _KEEP:
                parts.append(Keep(i))
                i += 1
            else:
                parts.append(Replay(self._parts(level if self.any else level - 1, i, k)))
                i = k
        return tuple(parts)


class _Grid:
    """C_r over whole steps of memory; column j of a level's tables holds C_r(i, j, ·) for every i."""

    def __init__(self, profile: Sequence[BlockProfile], replays: int | None, top_bytes: int, most_steps: int) -> None:
        self.n, self.levels, self.any = len(profile), replays or 1, replays is None
        sizes = [size for block in profile for size in (block.kept_bytes, block.output_bytes, block.live_bytes)]
        exact = math.gcd(*sizes) or 1
        self.step = exact if top_bytes <= exact * most_steps else -(-top_bytes // most_steps)
        self.steps = top_bytes // self.step
        self.kept = [self._up(block.kept_bytes) for block in profile]
        self.output = [self._up(block.output_bytes) for block in profile]
        self.live = [self._up(block.live_bytes) for block in profile]
        self.flops = np.array([0, *accumulate(block.forward_flops for block in profile)], dtype=np.float64)
        self.whole = np.array([[self._up(peak) for peak in row] for row in _kept_peaks(profile)])
        self._choice: list[dict[int, Array]] = [{}]
        inner: Array | None = None
        for _ in range(1, self.levels):
            inner = self._level(inner, range(1, self.n + 1))
        self._level(inner, range(1, self.n + 1) if self.any else [self.n])

    def _up(self, size: int) -> int:
        return -(-size // self.step)

    def _level(self, inner: Array | None, columns: Sequence[int]) -> Array | None:
        """Fill columns of one level; `inner[i, k]` is C_{r−1}(i, k, ·), None for keeping everything.

        Returns the level's own table where all its columns are filled, for the level above.
        """
        n, grid = self.n, np.arange(self.steps + 1)
        table = np.full((n + 1, n + 1, self.steps + 1), np.inf) if len(columns) == n else None
        if self.any:
            inner = table
        choices: dict[int, Array] = {}
        for j in columns:
            column = np.zeros((j + 1, self.steps + 1))
            shifted = np.full((j, self.steps + 1), np.inf)  # [k]: C_r(k, j, m − output_{k−1})
            choice = np.full((j, self.steps + 1), _KEEP, dtype=np.int16)
            for i in range(j - 1, -1, -1):
                here = _less(column[i + 1], self.kept[i])
                here[: self.live[i]] = np.inf
                if i + 1 < j:
                    replayed = shifted[i + 1 : j] + (self.flops[i + 1 : j] - self.flops[i])[:, None]
                    if inner is None:
                        replayed[grid < self.whole[i, i + 1 : j, None]] = np.inf
                    else:
                        replayed += inner[i, i + 1 : j]
                    k = replayed.argmin(axis=0)
                    least = replayed[k, grid]
                    better = least < here
                    here[better] = least[better]
                    choice[i][better] = k[better] + i + 1
                column[i] = here
                if i > 0:
                    shifted[i] = _less(here, self.output[i - 1])
            if table is not None:
                table[:j, j] = column[:j]
            choices[j] = choice
            self._possible = np.isfinite(column[0])  # of the last column: the whole chain
        self._choice.append(choices)
        return table

    def schedule(self, budget: int) -> Schedule | None:
        """Return the schedule for a budget in bytes, None where rounding leaves none."""
        m = min(budget // self.step, self.steps)
        return self._parts(self.levels, 0, self.n, m) if self._possible[m] else None

    def _parts(self, level: int, i: int, j: int, m: int) -> Schedule:
        if level == 0:
            return tuple(Keep(block) for block in range(i, j))
        parts: list[Part] = []
        while i < j:
            k = int(self._choice[level][j][i, m])
            if k == _KEEP:
                parts.append(Keep(i))
                m -= self.kept[i]
                i += 1
            else:
                parts.append(Replay(self._parts(level if self.any else level - 1, i, k, m)))
                m -= self.output[k - 1]
                i = k
        return tuple(parts)


def _less(costs: Array, steps: int) -> Array:
    """Return costs with `steps` less of memory at each point."""
    moved = np.full_like(costs, np.inf)
    if steps < len(costs):
        moved[steps:] = costs[: len(costs) - steps]
    return moved


def _kept_peaks(profile: Sequence[BlockProfile]) -> list[list[int]]:
    """Return the peak of blocks i to j−1, all kept, above block i's input, as `[i][j]`."""
    n = len(profile)
    peaks = [[0] * (n + 1) for _ in range(n + 1)]
    for i in range(n):
        kept = 0
        for j in range(i, n):
            peaks[i][j + 1] = max(peaks[i][j], kept + profile[j].live_bytes)
            kept += profile[j].kept_bytes
    return peaks
