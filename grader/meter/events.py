"""Read the allocator's events out of the profiler's event tree, in the order in which they happened."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from grader.meter.tracing import BASE_MARK, OPERATOR_MARK, PHASE_MARK


@dataclass(slots=True, frozen=True)
class Event:
    """One block allocated (`size` > 0) or freed (`size` < 0). `total` is what the allocator holds after it, in bytes.

    `operator` is the index of the operator it happened in, or -1.
    """

    time: int
    size: int
    total: int
    address: int
    operator: int


@dataclass(slots=True, frozen=True)
class Trace:
    """The events of one run on one device, the total before it, and when each phase started and the last ended."""

    events: list[Event]
    base: int
    starts: list[int]
    end: int


def read(tree: list[Any], device: str) -> Trace:
    """Flatten the event tree of `kineto_results.experimental_event_tree()`, keeping blocks on `device` ("cpu", "cuda").

    Raises RuntimeError if the marks of the run are not in it: then another profiler took the events.
    """
    events: list[Event] = []
    base: int | None = None
    phases: list[tuple[int, int]] = []
    waiting = [(event, -1) for event in reversed(tree)]
    while waiting:
        event, operator = waiting.pop()
        tag, fields = event.typed
        if tag.name == "Allocation":
            if fields.device.type == device:
                events.append(
                    Event(event.start_time_ns, fields.alloc_size, fields.total_allocated, fields.ptr or 0, operator)
                )
            continue
        name = event.name
        if name.startswith(OPERATOR_MARK):
            operator = int(name[len(OPERATOR_MARK) :])
        elif name.startswith(PHASE_MARK):
            phases.append((event.start_time_ns, event.end_time_ns))
        elif name == BASE_MARK:
            base = next((e.typed[1].total_allocated - e.typed[1].alloc_size for e in _allocations(event, device)), None)
        children = event.children
        if children:
            waiting.extend((child, operator) for child in reversed(children))
    if base is None or not phases:
        raise RuntimeError("the profiler recorded nothing: is another profiler running, or was it switched off?")
    phases.sort()
    start, end = phases[0][0], phases[-1][1]
    # Several threads (autograd's, on a GPU) interleave by time; the sort is stable, so equal times keep their order.
    inside = sorted((event for event in events if start <= event.time <= end), key=lambda event: event.time)
    return Trace(inside, base, [begun for begun, _ in phases], end)


def _allocations(event: Any, device: str) -> list[Any]:
    found, waiting = [], [event]
    while waiting:
        here = waiting.pop()
        if here.typed[0].name == "Allocation" and here.typed[1].device.type == device:
            found.append(here)
        waiting.extend(reversed(here.children))
    return found
