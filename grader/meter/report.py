"""Say what was metered in plain text."""

from __future__ import annotations

from typing import Any

from grader.meter.measuring import Metered
from grader.timeline import LABELS, format_bytes


def report(metered: Metered) -> str:
    """Return the figures and what was live at the peak as a plain-text table."""
    peak = metered.peak
    place = " of " + peak["module"] if peak["module"] else ""
    operator = f" ({peak['operator']})" if peak["operator"] else ""
    lines = [
        _figure("saved for backward", metered.saved_bytes, "live at the end of forward"),
        _figure("peak", metered.peak_bytes, f"in {peak['phase']}{place}{operator}"),
        _figure("replay workspace", metered.replay_bytes, "peak in backward less what was saved"),
        _work("work of the update", metered.flops, _by_phase(metered)),
        _work("of it in replays", metered.replay_flops, ""),
    ]
    if metered.unseen_bytes:
        lines.append(_figure("unseen", metered.unseen_bytes, "moved by other threads, counted as temporary"))
    lines += ["", "live at the peak, above what was live when the update started"]
    lines += [_tensor(tensor) for tensor in peak["tensors"]]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def format_flops(flops: int) -> str:
    """Write FLOPs to three significant digits: "3.22 GFLOP"."""
    size, units = float(flops), ["TFLOP", "GFLOP", "MFLOP", "kFLOP", "FLOP"]
    unit = units.pop()
    while abs(size) >= 999.5 and units:
        size, unit = size / 1000, units.pop()
    return f"{size:,.3g} {unit}" if abs(size) < 999.5 else f"{size:,.0f} {unit}"


def _figure(name: str, count: int, note: str) -> str:
    return f"{name:<20}{format_bytes(count):>12}  {count:>16,} bytes  {note}"


def _work(name: str, flops: int, note: str) -> str:
    return f"{name:<20}{format_flops(flops):>12}  {flops:>16,} FLOP   {note}"


def _by_phase(metered: Metered) -> str:
    return ", ".join(f"{phase} {format_flops(flops)}" for phase, flops in metered.flops_by_phase.items() if flops)


def _tensor(tensor: dict[str, Any]) -> str:
    shape = "scratch" if tensor["shape"] is None else f"{tensor['shape']} {tensor['dtype']}"
    count = f" × {tensor['count']}" if tensor["count"] > 1 else ""
    made_by = ", ".join(part for part in (tensor["module"], tensor["operator"]) if part)
    return f"{format_bytes(tensor['bytes']):>12}  {shape + count:<34}{LABELS[tensor['kind']]:<20}{made_by}"
