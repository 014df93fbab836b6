"""Describe what is live at the peak, as few lines as say it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from grader.meter.blocks import Block
from grader.meter.tracing import Operator

MOST_GROUPS = 20

_NUMBER = re.compile(r"(?<![^.])\d+(?![^.])")


def group(live: Iterable[Block], operators: Sequence[Operator]) -> list[dict[str, Any]]:
    """Group the blocks that are alike; return at most 20 groups, largest first.

    Each is {"bytes", "count", "dtype", "shape", "kind", "module", "operator"}: `bytes` is the group's sum, `dtype` ""
    and `shape` None for scratch that an operator keeps to itself, `module` "blocks.12–15.a" where the blocks differ
    by one number only. Blocks that were there before the update and are gone count as negative bytes, and are left out.
    """
    groups: dict[tuple[Any, ...], list[tuple[int, str]]] = {}
    for block in live:
        if block.size <= 0:
            continue
        operator = operators[block.operator] if block.operator >= 0 else None
        dtype, shape = operator.outputs.get(block.address, ("", None)) if operator else ("", None)
        module = operator.module if operator else ""
        key = (block.size, dtype, shape, block.kind, operator.name if operator else "", _NUMBER.sub("#", module, 1))
        groups.setdefault(key, []).append((block.size, module))
    lines = [
        {
            "bytes": sum(size for size, _ in members),
            "count": len(members),
            "dtype": dtype,
            "shape": None if shape is None else list(shape),
            "kind": kind,
            "module": _name(sorted({module for _, module in members}, key=_natural)),
            "operator": name,
        }
        for (_, dtype, shape, kind, name, _), members in groups.items()
    ]
    # The first key alone leaves ties to the order of allocation, which repeats.
    return sorted(lines, key=lambda line: -line["bytes"])[:MOST_GROUPS]


def _natural(name: str) -> list[tuple[int, str]]:
    return [(int(part), "") if part.isdigit() else (-1, part) for part in name.split(".")]


def _name(modules: Sequence[str]) -> str:
    """Write modules that differ in their first number as one: "blocks.12–15.a", "blocks.0,2.a"."""
    if len(modules) == 1:
        return modules[0]
    numbers = [int(found.group()) for module in modules if (found := _NUMBER.search(module))]
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    text = ",".join(str(run[0]) if len(run) == 1 else f"{run[0]}–{run[-1]}" for run in runs)
    return _NUMBER.sub(text, modules[0], 1)
