"""Meter one update: exact bytes, FLOPs and paired times. `docs/decisions/0001-metering.md` says how and why.

    from grader import meter
    meter.warm()                    # once per process, before any tensor that matters exists
    metered = meter.run(program)    # bytes, FLOPs, timeline and peak of one update, in one pass
    meter.times(make_yours, make_plain)   # seconds, unmetered, taken in turn

What the meter says about a process is a claim by that process: the kernel's figure, read from outside, decides.
"""

from grader.meter.measuring import Metered, run
from grader.meter.timing import times
from grader.meter.warming import warm

__all__ = ["Metered", "run", "times", "warm"]
