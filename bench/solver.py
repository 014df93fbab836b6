"""The frontier's dynamic programming beside a mixed-integer programme of the same problem, solved by HiGHS.

    python -m bench.solver [--quick]

Chains of random blocks (fixed seed), each block replayed at most once, a budget at a time, building included on both
sides. Sizes are whole steps of the grid, so both are exact, and they must name the same least work. Then the dynamic
programming alone on a hundred blocks with 500 budgets, which one table serves. Leaves with 1 where an optimum differs.

The integer programme is a path from block 0 to block n: an arc from i to i+1 keeps block i, one from i to k replays
blocks i to k−1. What earlier arcs leave behind plus what the arc that starts at i needs must keep to the budget; where
no arc starts at i, the segment around it has asked for more already. HiGHS: https://highs.dev.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass

import highspy

from bench.results import machine, missed, row, save, show_rows
from grader.frontier import BlockProfile, best, frontier, peak_bytes, plain, smallest

STEP = 4096
BLOCKS = (6, 10, 15, 20)
MANY_BLOCKS, MANY_BUDGETS = 100, 500


@dataclass(frozen=True)
class Arc:
    """A part of a schedule: blocks `start` to `end` − 1. Bytes needed while it runs, bytes left behind, FLOPs again."""

    start: int
    end: int
    needs: int
    leaves: int
    again: int


def arcs(profile: Sequence[BlockProfile]) -> list[Arc]:
    """Return every part that a schedule may have."""
    found = []
    for start, first in enumerate(profile):
        found.append(Arc(start, start + 1, first.live_bytes, first.kept_bytes, 0))
        kept = needs = again = 0
        for end, block in enumerate(profile[start:], start + 1):
            needs, again = max(needs, kept + block.live_bytes), again + block.forward_flops
            kept += block.kept_bytes
            found.append(Arc(start, end, needs, block.output_bytes, again))
    return found


def least_work(profile: Sequence[BlockProfile], budget: int) -> int | None:
    """Return the least recomputed FLOPs within `budget` bytes, None where no schedule keeps it. One thread."""
    highs = highspy.Highs()
    highs.setOptionValue("output_flag", False)
    highs.setOptionValue("threads", 1)
    highs.setOptionValue("mip_rel_gap", 0.0)
    parts = arcs(profile)
    chosen = [highs.addBinary(obj=float(part.again)) for part in parts]
    for at in range(len(profile)):
        starts = [(one, part) for one, part in zip(chosen, parts, strict=True) if part.start == at]
        before = [(one, part) for one, part in zip(chosen, parts, strict=True) if part.end <= at]
        ends = [one for one, part in before if part.end == at]
        # One path goes on from where it came; one begins at block 0, so one ends at the last.
        highs.addConstr(sum(one for one, _ in starts) == (sum(ends) if at else 1))
        bytes_then = [part.leaves * one for one, part in before] + [part.needs * one for one, part in starts]
        highs.addConstr(sum(bytes_then) <= budget)
    highs.run()
    if highs.getModelStatus() == highspy.HighsModelStatus.kInfeasible:
        return None
    if highs.getModelStatus() != highspy.HighsModelStatus.kOptimal:
        raise RuntimeError(f"HiGHS ended with {highs.modelStatusToString(highs.getModelStatus())}")
    values = highs.getSolution().col_value
    return sum(part.again for part, value in zip(parts, values, strict=True) if value > 0.5)


def chain(blocks: int, draw: random.Random) -> list[BlockProfile]:
    """Return a chain of random blocks whose sizes are whole steps."""
    return [
        BlockProfile(
            saved_bytes=STEP * draw.randint(0, 9),
            output_bytes=STEP * draw.randint(1, 4),
            workspace_bytes=STEP * draw.randint(0, 4),
            forward_flops=draw.randint(1, 99),
        )
        for _ in range(blocks)
    ]


def budgets(profile: Sequence[BlockProfile], count: int) -> list[int]:
    """Return budgets from the least possible peak to the plain run's."""
    low, high = smallest(profile).peak_bytes, peak_bytes(profile, plain(len(profile)))
    return [low + (high - low) * number // max(1, count - 1) for number in range(count)]


def timed(solve: object, *arguments: object) -> tuple[float, int | None]:
    """Return the milliseconds that a solver took, and the least work that it found."""
    began = time.perf_counter()
    found = solve(*arguments)  # type: ignore[operator]
    took = (time.perf_counter() - began) * 1000
    return took, getattr(found, "recomputed_flops", found)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="3 budgets a chain and 3 repeats instead of 8 and 9")
    options = parser.parse_args()
    count, repeats = (3, 3) if options.quick else (8, 9)
    on, draw, rows = machine(), random.Random(9), []
    for blocks in BLOCKS:
        profile = chain(blocks, draw)
        ours, theirs, same = [], [], True
        for budget in budgets(profile, count):
            (took, work), (other_took, other_work) = timed(best, profile, budget), timed(least_work, profile, budget)
            ours.append(took)
            theirs.append(other_took)
            same &= work == other_work
        against = row(f"integer programme, {blocks} blocks", "ms", theirs)
        aim = {"aim": "the same least work", "met": same}
        rows += [against, row(f"dynamic programming, {blocks} blocks", "ms", ours, against=against, **aim)]
    profile = chain(MANY_BLOCKS, draw)
    many = budgets(profile, MANY_BUDGETS)
    times = [timed(frontier, profile, many)[0] for _ in range(repeats)]
    rows.append(row(f"dynamic programming, {MANY_BLOCKS} blocks, {MANY_BUDGETS} budgets", "ms", times))
    show_rows("Least recomputed work under a budget of bytes: milliseconds", rows)
    extras = {"highs": highspy.Highs().version()}
    save("solver", on, {"title": "Schedule solver", "quick": options.quick, "rows": rows, **extras})
    return 1 if missed(rows) else 0


if __name__ == "__main__":
    sys.exit(main())
