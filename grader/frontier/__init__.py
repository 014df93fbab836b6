"""The trade between peak bytes and recomputed work for a chain of blocks: the best schedules, found and executed.

    from grader import frontier
    profile = frontier.measure(blocks, x)               # bytes and FLOPs of each block, metered
    points = frontier.frontier(profile, budgets)         # the least recomputed work under each budget of bytes
    y = frontier.execute(blocks, x, points[0].schedule)  # run a chain as a schedule says
    metered = meter.run(frontier.program(blocks, x, points[0].schedule))

`schedule` states the class of schedules and how bytes are predicted, `solving` what is optimal over it.
"""

from grader.frontier.executing import execute, keep_products, program, update
from grader.frontier.profiling import measure
from grader.frontier.schedule import (
    BlockProfile,
    Keep,
    Replay,
    Schedule,
    peak_bytes,
    plain,
    recomputed_flops,
    replayed,
)
from grader.frontier.solving import Impossible, Point, best, frontier, smallest

__all__ = [
    "BlockProfile",
    "Impossible",
    "Keep",
    "Point",
    "Replay",
    "Schedule",
    "best",
    "execute",
    "frontier",
    "keep_products",
    "measure",
    "peak_bytes",
    "plain",
    "program",
    "recomputed_flops",
    "replayed",
    "smallest",
    "update",
]
