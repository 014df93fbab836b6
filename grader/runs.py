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

Derived in docs/decisions: after a warm-up update of the same shapes the two agree to 0.2 %, in a process's first
update to 1 % and 5 MB; the second is used, so that nobody fails for what malloc or an operator's scratch does.
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


@dataclass
class CaseRun:
    """One case: what was asked, what the plain and the reference runs gave, what the submission gave.

    expected, observed   named tensors and values of the plain run (computed by the judge) and of the submission
    plain, reference     metered by the judge, where the case is measured
    metered              what the submission's process says it metered: a claim
    kernel_peak_bytes    growth of its resident memory in the update, read from outside
    """

    case: Case
    expected: dict[str, Any] = field(default_factory=dict)
    observed: dict[str, Any] = field(default_factory=dict)
    crash: Crash | None = None
    plain: Metered | None = None
    reference: Metered | None = None
    metered: Metered | None = None
    kernel_peak_bytes: int | None = None
    cpu_seconds: float | None = None

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
