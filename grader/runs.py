"""What the judge knows about one case after playing it: the lab's checks read this and nothing else."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import torch

from grader.compare import RELATIVE_TOLERANCE
from grader.meter import Metered
from grader.program import Case

KERNEL_TOLERANCE_SHARE = 0.01
KERNEL_TOLERANCE_BYTES = 5_000_000
"""How far the kernel's figure may lie above the allocator's before it decides in the allocator's place.

Derived in docs/decisions/0006-kernel-tolerance.md: after a warm-up update of the same shapes the two differ by an
amount that hardly depends on the size, so that nobody fails for what malloc or an operator's scratch does.
"""

DISAGREEMENT_SHARE = 0.25
DISAGREEMENT_BYTES = 24_000_000
"""Beyond this much above the allocator's figure, memory was kept where torch does not see it, and the run says so."""


@dataclass(frozen=True)
class Crash:
    """An exception in the learner's process: its one-line text, their line, their frames, and its kind."""

    error: str
    line: int | None
    traceback: str
    kind: str = "crashed"


HELD_BYTES = 32_000_000
"""What a submission may hold before its update starts: imports, first-use workspaces, code that was paged in.

More than that is counted as if the update had allocated it: a pool made at import, or in the warm-up, holds
activations as well as a fresh block does, and memory given back when the update starts would hide as much.
"""

WORK_FACTOR, WORK_SECONDS = 10.0, 10.0
"""How many times the processor time that the claimed FLOPs explain, and how many seconds beyond it, cannot be noise.

FLOPs explain the time of matrix products and nothing else: an honest update of those used 1.3 to 1.4 times the judge's
on an idle machine, one that moves memory (a decode step, block by block) 10 times, and a busy machine doubles both. So
only gross disagreement is taken for work out of the meter's sight. From `NOTED_FACTOR` on, the verdict carries a note.
"""
NOTED_FACTOR, NOTED_SECONDS = 3.0, 2.0
OPERATOR_SECONDS, MOST_OPERATORS = 0.0003, 10_000
"""What one operator costs beside its FLOPs (metering it, Python, fresh pages), and how many are believed."""


METER_BYTES, METER_BYTES_AN_OPERATOR = 8_000_000, 128_000
"""What working the meter's record out may take after the update, by the number of operators of the judge's own run.

Seen: 30 kB an operator. A submission may well run four times the judge's operators.
"""


@dataclass(frozen=True)
class Prepared:
    """What the judge's own run of a case allocates around the update.

    peak_bytes, end_bytes   while the case is prepared: the highest live bytes, and what lives at its end
    report_bytes            while the results are gathered and put into a message, above what lived before
    meter_bytes             what the meter may take to work its record out, after the update (`METER_BYTES`)
    """

    peak_bytes: int = 0
    end_bytes: int = 0
    report_bytes: int = 0
    meter_bytes: int = 0


@dataclass(frozen=True)
class Outside:
    """A measured case as the kernel saw it: resident bytes of the learner's process, and processor seconds.

    ready      when only our code had run in it
    armed      after the warm-up update, before the case's seed was sent
    preparing  high-water mark from then until the case was prepared;  prepared: resident at that moment
    running    high-water mark from then until the update had ended;  ended: resident at that moment
    reporting  high-water mark from then until the report had arrived
    """

    ready: int
    armed: int
    preparing: int
    prepared: int
    running: int
    ended: int
    reporting: int
    cpu_seconds: float

    def growth(self, own: Prepared) -> int:
        """Return the bytes that the update needed, whenever they were taken. `own` is what the case itself holds.

        The largest of: growth in the update; growth while the case was being prepared or reported, beyond what the
        judge needs for that itself (the update could have been computed there); and growth since only our code had
        run, less what may be held (`HELD_BYTES`).
        """
        held = self.ready + HELD_BYTES
        return max(
            0,
            self.running - self.prepared,
            self.preparing - self.armed - own.peak_bytes,
            self.reporting - self.ended - own.report_bytes - own.meter_bytes,
            self.running - held - own.end_bytes,
            self.preparing - held - own.peak_bytes,
        )


@dataclass
class CaseRun:
    """One case: what was asked, what the plain and the reference runs gave, what the submission gave.

    expected, observed   named tensors and values of the plain run (computed by the judge) and of the submission
    plain, reference     metered by the judge, where the case is measured
    metered              what the submission's process says it metered: a claim
    outside, prepared    what the kernel saw of its process, and what the judge's own preparation allocates
    own_cpu_seconds      processor time of the judge's metered reference update
    """

    case: Case
    expected: dict[str, Any] = field(default_factory=dict)
    observed: dict[str, Any] = field(default_factory=dict)
    crash: Crash | None = None
    plain: Metered | None = None
    reference: Metered | None = None
    metered: Metered | None = None
    outside: Outside | None = None
    prepared: Prepared = Prepared()
    own_cpu_seconds: float | None = None

    @property
    def kernel_peak_bytes(self) -> int | None:
        """Growth of its resident memory that the update accounts for, read from outside.

        None on a GPU: what is resident in the host's memory says nothing of the device's.
        """
        if self.outside is None or self.case.get("device", "cpu") != "cpu":
            return None
        return self.outside.growth(self.prepared)

    def tolerance(self) -> float:
        return RELATIVE_TOLERANCE[torch.float32]

    def kernel_excess_bytes(self) -> int:
        """Bytes by which the kernel's figure passes the allocator's and the tolerance; 0 where they agree."""
        if self.metered is None or self.kernel_peak_bytes is None:
            return 0
        allowed = self.metered.peak_bytes * (1 + KERNEL_TOLERANCE_SHARE) + KERNEL_TOLERANCE_BYTES
        return max(0, int(self.kernel_peak_bytes - allowed))

    def figures_disagree(self) -> bool:
        """Whether so much lies outside the allocator that the claimed figures cannot be the whole story."""
        if self.metered is None or self.kernel_peak_bytes is None:
            return False
        allowed = self.metered.peak_bytes * (1 + DISAGREEMENT_SHARE) + DISAGREEMENT_BYTES
        return self.kernel_peak_bytes > allowed

    def decided_bytes(self, figure: str) -> int:
        """Return the byte figure that decides: the allocator's, or the kernel's where that is larger.

        Only the peak has a kernel figure. Where the kernel saw more than the tolerance allows, saved bytes are
        raised by the same excess: bytes kept out of the allocator's sight are kept for backward.
        """
        assert self.metered is not None
        return int(getattr(self.metered, figure)) + self.kernel_excess_bytes()

    def works_unseen(self) -> bool:
        """Whether the processor time is far beyond what the claimed FLOPs explain, at the judge's own speed."""
        explained = self.explained_seconds()
        return explained is not None and self._seconds() > WORK_FACTOR * explained + WORK_SECONDS

    def works_more_than_said(self) -> bool:
        """Whether the processor time is so much beyond what the FLOPs explain that a person should look."""
        explained = self.explained_seconds()
        return explained is not None and self._seconds() > NOTED_FACTOR * explained + NOTED_SECONDS

    def explained_seconds(self) -> float | None:
        """Return the processor time in which the judge would do the claimed FLOPs; None where that is not known."""
        if self.metered is None or self.reference is None or self.outside is None:
            return None
        if self.case.get("device", "cpu") != "cpu":  # there the processor waits, and does not work
            return None
        if not self.own_cpu_seconds or not self.reference.flops:
            return None
        work = self.own_cpu_seconds * max(1.0, self.metered.flops / self.reference.flops)
        return work + OPERATOR_SECONDS * min(self.metered.operators, MOST_OPERATORS)

    def _seconds(self) -> float:
        return self.outside.cpu_seconds if self.outside else 0.0
