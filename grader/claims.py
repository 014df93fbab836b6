"""Check what a subject says that it metered: plain, finite, bounded, or it is not believed to be ours."""

from __future__ import annotations

from typing import Any

from grader import timeline
from grader.meter import Metered

MAX_FIGURE = 2**60
MAX_TEXT = 200

COUNTS = (
    "saved_bytes",
    "peak_bytes",
    "replay_bytes",
    "flops",
    "replay_flops",
    "unseen_bytes",
    "events",
    "operators",
)


def metered(data: Any, refused: bool = False) -> Metered:
    """Return the metered figures of an untrusted process. Raises ValueError naming what is malformed.

    An update runs at least one operator, unless it `refused` its case: a harness observes that as `refusal`, and the
    lab's judge decides whether it was right.
    """
    if not isinstance(data, dict):
        raise ValueError("the figures are not a mapping")
    expected = set(Metered.__dataclass_fields__)
    if data.keys() != expected:
        raise ValueError(f"the figures have other names: {sorted(map(str, data.keys() ^ expected))[:3]}")
    flops = {_text(name): _figure(name, value) for name, value in _mapping(data["flops_by_phase"], 16).items()}
    counts = {name: _figure(name, data[name]) for name in COUNTS}
    if not refused and not (counts["events"] and counts["operators"]):
        raise ValueError("an update without a single operator")
    if sum(flops.values()) != counts["flops"]:
        raise ValueError("the FLOPs by phase do not add up")
    line = timeline.validate(data["timeline"])
    peak = _peak(data["peak"], len(line["total"]))
    _consistent(counts, flops, line, peak)
    return Metered(
        **counts,
        flops_by_phase=flops,
        timeline=line,
        peak=peak,
        device=_text(data["device"]),
    )


def _consistent(counts: dict[str, int], flops: dict[str, int], line: dict[str, Any], peak: dict[str, Any]) -> None:
    """Raise ValueError for figures that one update cannot have; what the meter measures always satisfies these."""
    never_negative = ("peak_bytes", "replay_bytes", "flops", "replay_flops", "unseen_bytes", "events", "operators")
    if any(counts[name] < 0 for name in never_negative) or any(value < 0 for value in flops.values()):
        raise ValueError("a count is below zero")
    if not max(line["total"]) == counts["peak_bytes"] == peak["bytes"]:
        raise ValueError("the peak is not the timeline's")
    if counts["saved_bytes"] > counts["peak_bytes"] or counts["replay_flops"] > counts["flops"]:
        raise ValueError("a part is larger than the whole")
    if counts["saved_bytes"] not in line["total"] or counts["saved_bytes"] + counts["replay_bytes"] > max(
        counts["peak_bytes"], counts["saved_bytes"]
    ):
        raise ValueError("the saved bytes are not the timeline's")


def _peak(data: Any, points: int) -> dict[str, Any]:
    peak = _mapping(data, 6)
    index = _figure("index", peak["index"])
    if not 0 <= index < max(points, 1):
        raise ValueError("the peak lies outside the timeline")
    tensors = peak["tensors"]
    if not isinstance(tensors, list) or len(tensors) > 50:
        raise ValueError("the tensors at the peak are not a short list")
    return {
        "bytes": _figure("bytes", peak["bytes"]),
        "phase": _text(peak["phase"]),
        "index": index,
        "module": _text(peak["module"]),
        "operator": _text(peak["operator"]),
        "tensors": [_tensor(_mapping(tensor, 7)) for tensor in tensors],
    }


def _tensor(data: dict[str, Any]) -> dict[str, Any]:
    shape = data["shape"]
    if shape is not None and (not isinstance(shape, list) or len(shape) > 16):
        raise ValueError("a tensor at the peak has no proper shape")
    kind = _text(data["kind"])
    if kind not in timeline.KINDS:
        raise ValueError(f"{kind!r} is not a kind of memory")
    return {
        "bytes": _figure("bytes", data["bytes"]),
        "count": _figure("count", data["count"]),
        "dtype": _text(data["dtype"]),
        "shape": None if shape is None else [_figure("shape", size) for size in shape],
        "kind": kind,
        "module": _text(data["module"]),
        "operator": _text(data["operator"]),
    }


def _mapping(data: Any, most: int) -> dict[str, Any]:
    if not isinstance(data, dict) or len(data) > most:
        raise ValueError("expected a small mapping")
    return data


def _figure(name: str, value: Any) -> int:
    """Bytes may be below zero: they are counted from what was live when the update started."""
    if type(value) is not int or not -MAX_FIGURE < value < MAX_FIGURE:
        raise ValueError(f"{str(name)[:MAX_TEXT]} is not a whole number in range")
    return value


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError("expected a text")
    return "".join(c if c.isprintable() else "?" for c in value[:MAX_TEXT])
