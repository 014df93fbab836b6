"""Run one update under the profiler and the tracer, and say what it held and what it did."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import Any

import torch
from torch.autograd.profiler import profile

from grader import timeline
from grader.meter import blocks, events, peaks
from grader.meter.tracing import BASE_MARK, PHASE_MARK, Mark, Operator, Tracer, address_of
from grader.meter.warming import warm
from grader.program import Program


@dataclass(frozen=True)
class Metered:
    """What one update needed, in bytes and FLOPs; bytes are above what was live when it started.

    saved_bytes      live at the end of forward (of the forward that holds most, where there are several)
    peak_bytes       highest live bytes of the whole update
    replay_bytes     peak in backward less `saved_bytes`: the replay's workspace
    flops            multiply and add counted as two; `flops_by_phase` sums to it
    replay_flops     FLOPs of operators run in a replay inside backward
    timeline         as `grader.timeline` describes it
    peak             {"bytes", "phase", "index", "module", "operator", "tensors"}, see `grader.meter.peaks`
    unseen_bytes     bytes that the allocator moved without an event here: another thread allocated (0 as a rule)
    events           allocator events read; operators: operators seen
    """

    saved_bytes: int
    peak_bytes: int
    replay_bytes: int
    flops: int
    flops_by_phase: dict[str, int]
    replay_flops: int
    timeline: dict[str, Any]
    peak: dict[str, Any]
    unseen_bytes: int
    events: int
    operators: int
    device: str

    def to_json(self) -> dict[str, Any]:
        """Return everything as plain ints, strings, lists and dicts."""
        return asdict(self)


def run(program: Program, device: str = "cpu", ended: Callable[[], None] | None = None) -> Metered:
    """Run the program's phases once, metered, and return what was measured.

    `device` is "cpu" or "cuda": the allocator whose blocks are counted. Collects garbage before and keeps collection
    off during the run. A program with the single phase "step" is cut into forward, backward and optimiser by where
    autograd was running. `ended` is called once the last phase has ended, before the meter takes memory of its own to
    work its record out. `program.observe` is left to the caller. Whatever the phases raise comes through; RuntimeError
    if the profiler was taken away meanwhile.
    """
    warm()
    tracer = Tracer(program.modules)
    before = _owned(program)
    after: list[dict[int, str]] = []
    with _quiet(), profile(profile_memory=True, use_kineto=True) as profiler:
        _mark_base(device)
        with tracer.stack.watching(), tracer:
            for index, (_, function) in enumerate(program.phases):
                tracer.phase = index
                with Mark(f"{PHASE_MARK}{index}"):
                    function()
                    _finish(device)
                after.append(_owned(program))
        if ended:
            ended()
    if profiler.kineto_results is None:
        raise RuntimeError("the profiler was taken away during the run")
    trace = events.read(profiler.kineto_results.experimental_event_tree(), device)
    names = [name for name, _ in program.phases]
    if len(trace.starts) != len(names):
        raise RuntimeError(f"{len(names)} phases ran and the profiler saw {len(trace.starts)}")
    return _measure(names, before, after, trace, tracer.operators, device)


def _measure(
    names: list[str],
    before: dict[int, str],
    after: list[dict[int, str]],
    trace: events.Trace,
    operators: list[Operator],
    device: str,
) -> Metered:
    if names == ["step"]:
        phases = blocks.cut_step(after[0], trace.events, operators)
    else:
        phases = blocks.cut(names, after, trace)
    found, unseen = blocks.follow(trace, phases, operators, before)
    totals, seen, starts = blocks.points(trace, phases)
    ends = [*starts[1:], len(totals)]
    saved = max(
        (totals[end - 1] for phase, end in zip(phases, ends, strict=True) if blocks.is_forward(phase.name)), default=0
    )
    backward = max(
        (
            max(totals[start:end])
            for phase, start, end in zip(phases, starts, ends, strict=True)
            if blocks.is_backward(phase.name)
        ),
        default=saved,
    )
    kept = timeline.thin(totals, starts)
    line = timeline.build(
        [(phase.name, start) for phase, start in zip(phases, starts, strict=True)],
        kept,
        blocks.live_by_kind(found, seen, kept, timeline.KINDS),
    )
    highest = max(range(len(totals)), key=totals.__getitem__)
    phase_of_peak = max(i for i, start in enumerate(starts) if start <= highest)
    cause = trace.events[seen[highest] - 1].operator if seen[highest] else -1
    flops = _flops_by_phase([phase.name for phase in phases], operators)
    return Metered(
        saved_bytes=saved,
        peak_bytes=totals[highest],
        replay_bytes=max(0, backward - saved),
        flops=sum(flops.values()),
        flops_by_phase=flops,
        replay_flops=sum(operator.flops for operator in operators if operator.replay),
        timeline=line,
        peak={
            "bytes": totals[highest],
            "phase": phases[phase_of_peak].name,
            "index": line["peak_index"],
            "module": operators[cause].module if cause >= 0 else "",
            "operator": operators[cause].name if cause >= 0 else "",
            "tensors": peaks.group(blocks.live_at(found, seen[highest]), operators),
        },
        unseen_bytes=unseen,
        events=len(trace.events),
        operators=len(operators),
        device=device,
    )


def _flops_by_phase(names: list[str], operators: list[Operator]) -> dict[str, int]:
    flops = dict.fromkeys(names, 0)
    for operator in operators:
        flops[names[min(operator.phase, len(names) - 1)]] += operator.flops
    return flops


def _owned(program: Program) -> dict[int, str]:
    """Map the addresses of tensors whose kind the program knows to that kind. Keeps no tensor."""
    owned: dict[int, str] = {}

    def note(tensor: Any, kind: str) -> None:
        if isinstance(tensor, torch.Tensor) and (address := address_of(tensor)):
            owned.setdefault(address, kind)

    modules = program.modules
    parameters = list(modules.parameters()) if isinstance(modules, torch.nn.Module) else []
    if program.optimiser is not None:
        parameters += [p for group in program.optimiser.param_groups for p in group["params"]]
        for state in program.optimiser.state.values():
            for value in state.values() if isinstance(state, dict) else ():
                note(value, "optimiser_state")
    for parameter in parameters:
        note(parameter, "parameter")
        note(parameter.grad, "gradient")
    if isinstance(modules, torch.nn.Module):
        for buffer in modules.buffers():
            note(buffer, "parameter")
    for tensor in program.inputs:
        note(tensor, "input")
        if isinstance(tensor, torch.Tensor) and tensor.is_leaf:
            note(tensor.grad, "gradient")
    return owned


@contextmanager
def _quiet() -> Iterator[None]:
    """Collect cyclic garbage, then keep the collector off: it would make the peak wander."""
    collecting = gc.isenabled()
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


def _mark_base(device: str) -> None:
    with Mark(BASE_MARK):
        torch.empty(1, device=device)
    _finish(device)


def _finish(device: str) -> None:
    if device == "cuda":
        torch.cuda.synchronize()
