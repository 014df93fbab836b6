"""What a lab's public harness hands to the meter: one update, cut into phases."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch

Case = dict[str, Any]
"""One case as plain JSON: `name`, `family`, `seed`, and the family's own parameters (sizes, flags)."""


@dataclass
class Program:
    """One update of one case, ready to run. Built by a lab's `harness.prepare(case, entry)`.

    phases   (name, function) in order; names are "forward", "backward", "optimiser" where they apply.
             A function may be called once only per `prepare`d Program, unless `repeatable`.
    observe  called after the last phase, unmetered: named tensors and plain values that the judge compares.
    modules  the nn.Module whose submodule names label tensors (optional).
    inputs   tensors that belong to the data (kind "input").
    optimiser the torch optimiser, whose state is resident before the update (optional).
    """

    phases: Sequence[tuple[str, Callable[[], Any]]]
    observe: Callable[[], dict[str, Any]]
    modules: Any = None
    inputs: Iterable[Any] = ()
    optimiser: Any = None
    extra: dict[str, Any] = field(default_factory=dict)


def build(harness: Any, case: Case, entry: dict[str, Any]) -> Program:
    """Have a harness prepare a case, with the tensors that it makes on the case's device ("cpu" if it names none)."""
    device = case.get("device", "cpu")
    if device == "cpu":
        return harness.prepare(case, entry)
    with torch.device(device):
        return harness.prepare(case, entry)
