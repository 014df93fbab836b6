"""Turn the allocator's events into blocks with a lifetime and a kind, and into live bytes over the update."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from grader.meter.events import Event, Trace
from grader.meter.tracing import Operator


@dataclass(slots=True)
class Block:
    """One block of the allocator. `born` and `died` are event indices; `died` is None if it outlives the update.

    `size` is negative for a block that was there before the update and was freed in it.
    """

    size: int
    address: int
    born: int
    operator: int
    died: int | None = None
    kind: str = ""


@dataclass(slots=True, frozen=True)
class Phase:
    """A phase and its events, `[first, last)`; `owned` maps addresses known at its end to their kind."""

    name: str
    first: int
    last: int
    owned: dict[int, str] = field(default_factory=dict)


def cut(names: Sequence[str], owned: Sequence[dict[int, str]], trace: Trace) -> list[Phase]:
    """Give each phase its events, by time."""
    times = [event.time for event in trace.events]
    firsts = [bisect_left(times, start) for start in trace.starts] + [len(times)]
    return [Phase(name, firsts[i], firsts[i + 1], owned[i]) for i, name in enumerate(names)]


def cut_step(owned: dict[int, str], events: Sequence[Event], operators: list[Operator]) -> list[Phase]:
    """Cut a step that came in one piece into forward, backward and optimiser, by where autograd was running.

    Writes each operator's phase too. A step that calls `backward` several times is left whole from the first
    to the last of them.
    """
    inside = [index for index, operator in enumerate(operators) if operator.in_backward]
    if not inside:
        return [Phase("step", 0, len(events), owned)]
    begin, end = inside[0], inside[-1]
    for index, operator in enumerate(operators):
        operator.phase = 0 if index < begin else 1 if index <= end else 2
    first = next((i for i, event in enumerate(events) if event.operator >= begin), len(events))
    last = next((i for i, event in enumerate(events) if event.operator > end), len(events))
    return [Phase("forward", 0, first), Phase("backward", first, last), Phase("optimiser", last, len(events), owned)]


def is_forward(name: str) -> bool:
    return name.split(" ")[0] == "forward"


def is_backward(name: str) -> bool:
    return name.split(" ")[0] == "backward"


def follow(
    trace: Trace, phases: Sequence[Phase], operators: Sequence[Operator], owned: dict[int, str]
) -> tuple[list[Block], int]:
    """Return every block of the update with its kind, and the bytes that moved without an event (0 as a rule).

    The allocator's own total is the truth. Where it moves by more than the events explain (another thread allocated),
    the difference becomes a block of kind "temporary" without an operator, so that kinds always sum to the total.
    `owned` names the addresses of tensors that were there before the update.
    """
    blocks: list[Block] = []
    live: dict[int, Block] = {}
    total, unseen = trace.base, 0
    for phase in phases:
        for index in range(phase.first, phase.last):
            event = trace.events[index]
            gap = event.total - event.size - total
            if gap:
                blocks.append(Block(gap, 0, index, -1, kind="temporary"))
                unseen += abs(gap)
            total = event.total
            if event.size > 0:
                live[event.address] = block = Block(event.size, event.address, index, event.operator)
                blocks.append(block)
            elif event.address in live:
                live.pop(event.address).died = index
            else:
                blocks.append(Block(event.size, event.address, index, -1, kind=owned.get(event.address, "temporary")))
        for address, block in live.items():
            if not block.kind:
                block.kind = phase.owned.get(address) or _saved(block, phase, operators)
    for block in blocks:
        if not block.kind:
            block.kind = "replay_workspace" if _in_replay(block, operators) else "temporary"
    return blocks, unseen


def _saved(block: Block, phase: Phase, operators: Sequence[Operator]) -> str:
    """Return the kind of a block that lives at the end of `phase`, or "" if only its origin can say."""
    if is_forward(phase.name) and block.born >= phase.first and not _in_replay(block, operators):
        return "saved_activation"
    return ""


def _in_replay(block: Block, operators: Sequence[Operator]) -> bool:
    return block.operator >= 0 and operators[block.operator].replay


def points(trace: Trace, phases: Sequence[Phase]) -> tuple[list[int], list[int], list[int]]:
    """Return (live bytes, events seen, phase starts): one point where each phase starts and one after each event."""
    totals: list[int] = []
    seen: list[int] = []
    starts: list[int] = []
    now = 0
    for phase in phases:
        starts.append(len(totals))
        totals.append(now)
        seen.append(phase.first)
        for index in range(phase.first, phase.last):
            now = trace.events[index].total - trace.base
            totals.append(now)
            seen.append(index + 1)
    return totals, seen, starts


def live_by_kind(
    blocks: Iterable[Block], seen: Sequence[int], kept: Sequence[int], kinds: Sequence[str]
) -> dict[str, list[int]]:
    """Return for each kind its live bytes at the points `kept` (indices into `seen`)."""
    changes: dict[int, list[tuple[str, int]]] = {}
    for block in blocks:
        changes.setdefault(block.born, []).append((block.kind, block.size))
        if block.died is not None:
            changes.setdefault(block.died, []).append((block.kind, -block.size))
    series: dict[str, list[int]] = {kind: [] for kind in kinds}
    now = dict.fromkeys(kinds, 0)
    done = 0
    for point in kept:
        while done < seen[point]:
            for kind, size in changes.get(done, ()):
                now[kind] += size
            done += 1
        for kind in kinds:
            series[kind].append(now[kind])
    return series


def live_at(blocks: Iterable[Block], seen: int) -> list[Block]:
    """Return the blocks alive after the first `seen` events."""
    return [block for block in blocks if block.born < seen and (block.died is None or block.died >= seen)]
