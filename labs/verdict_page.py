"""Turn a stored verdict into what its page prints. Pure functions of the verdict; no database, no torch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from grader import timeline
from grader.verdict import Check, Measurements, Outcome, Verdict
from labs import units

RUNS = ("yours", "plain", "reference")

_LABELS = {
    Outcome.PASSED: "Passed",
    Outcome.FAILED: "Not passed",
    Outcome.CRASHED: "Crashed",
    Outcome.TIMED_OUT: "Out of time",
    Outcome.OUT_OF_MEMORY: "Out of memory",
    Outcome.KILLED: "Ended early",
    Outcome.REFUSED: "Refused",
    Outcome.UNGRADABLE: "Not graded",
}
_HEADLINES = {
    Outcome.CRASHED: "Your code raised an exception.",
    Outcome.TIMED_OUT: "Your code was still running when its time was up.",
    Outcome.OUT_OF_MEMORY: "Your code asked for more memory than this lab allows.",
    Outcome.KILLED: "The process ended before it had answered.",
    Outcome.REFUSED: "This file was not graded.",
    Outcome.UNGRADABLE: "We could not grade this, and it is not your fault.",
}


@dataclass(frozen=True)
class Figure:
    """A rounded figure to read, and the exact one for the tip over it."""

    text: str
    exact: str = ""


@dataclass(frozen=True)
class Row:
    """One line of the measurements: yours, the plain run's where there is one, and a note."""

    label: str
    yours: Figure
    plain: Figure | None = None
    note: str = ""


def label(outcome: str) -> str:
    """Return an outcome in words, as lists and verdicts print it."""
    return _LABELS.get(Outcome(outcome), outcome) if outcome else ""


def tone(outcome: str) -> str:
    """Return the class name for an outcome: good, warn (our fault) or bad."""
    return {Outcome.PASSED: "good", Outcome.UNGRADABLE: "warn"}.get(Outcome(outcome), "bad") if outcome else ""


def headline(verdict: Verdict, *, public_only: bool) -> str:
    """Return the verdict in one sentence, or two where bytes were measured."""
    if verdict.outcome in _HEADLINES:
        return _HEADLINES[verdict.outcome]
    failed = [check for check in verdict.checks if not check.passed]
    measured = verdict.measurements
    if not failed:
        what = "The public cases hold." if public_only else "Every check holds."
        if measured.peak_bytes and measured.plain_peak_bytes:
            what += f" Peak {share(measured.peak_bytes, measured.plain_peak_bytes)} of the plain run's."
        return what
    first = failed[0].title.rstrip(".")
    if len(failed) == 1:
        return f"One check does not hold: {first}."
    return f"{len(failed)} of {len(verdict.checks)} checks do not hold. First: {first}."


def share(part: float, whole: float) -> str:
    """Return part of whole in per cent."""
    return f"{units.three(100 * part / whole)} %" if whole else "–"


def checks(verdict: Verdict) -> list[dict[str, Any]]:
    """Return the checks as table rows, failed ones first and otherwise in the judge's order."""
    ordered = sorted(verdict.checks, key=lambda check: check.passed)
    return [
        {
            "check": check,
            "expected": _value(check, check.expected, _limit(check)),
            "actual": _value(check, check.actual),
        }
        for check in ordered
    ]


def _limit(check: Check) -> str:
    """Return the sign before what was expected: figures in these units are upper limits."""
    number = isinstance(check.expected, int | float) and not isinstance(check.expected, bool)
    return "≤ " if number and check.unit in ("bytes", "relative", "forwards") else ""


def _value(check: Check, value: Any, sign: str = "") -> Figure:
    tip = f"{value:,} {check.unit}" if isinstance(value, int) and not isinstance(value, bool) and check.unit else ""
    return Figure(sign + units.of(value, check.unit), tip)


def measurements(measured: Measurements) -> list[Row]:
    """Return what was measured, in the order of the update; what was not measured is left out."""
    rows = [
        _bytes("Saved for backward", measured.saved_bytes, measured.plain_saved_bytes, "live at the end of forward"),
        _bytes("Peak of the update", measured.peak_bytes, measured.plain_peak_bytes, "forward, backward and optimiser"),
        _bytes("Replay workspace", measured.replay_bytes, None, "peak in backward less what was saved"),
        _bytes("Peak as the kernel saw it", measured.kernel_peak_bytes, None, "read from outside your process"),
        _flops("Work of the update", measured.step_flops, measured.plain_flops, ""),
        _flops("Recomputed work", measured.recomputed_flops, None, _of_plain(measured)),
    ]
    seconds = measured.step_seconds
    if seconds is not None:
        interval = f"95 % interval {units.of_seconds(seconds.low)} to {units.of_seconds(seconds.high)}"
        note = f"{interval}; {units.three(seconds.ratio)} times the plain run; shown, never judged"
        median = Figure(units.of_seconds(seconds.median), f"{seconds.median!r} s")
        rows.append(Row("Time of the update", median, None, note))
    return [row for row in rows if row is not None]


def beside(before: Verdict, after: Verdict) -> list[tuple[str, Figure, Figure]]:
    """Return the measured figures of two verdicts side by side; none where they measured different updates."""
    old, new = before.measurements, after.measurements
    if not old.plain_flops or (old.plain_peak_bytes, old.plain_flops) != (new.plain_peak_bytes, new.plain_flops):
        return []
    others = {row.label: row.yours for row in measurements(new)}
    return [(row.label, row.yours, others[row.label]) for row in measurements(old) if row.label in others]


def _bytes(name: str, yours: int | None, plain: int | None, note: str) -> Row | None:
    if yours is None:
        return None
    other = None if plain is None else Figure(units.of_bytes(plain), units.exact(plain, "bytes"))
    return Row(name, Figure(units.of_bytes(yours), units.exact(yours, "bytes")), other, note)


def _flops(name: str, yours: int | None, plain: int | None, note: str) -> Row | None:
    if yours is None:
        return None
    other = None if plain is None else Figure(units.of_flops(plain), units.exact(plain, "FLOP"))
    return Row(name, Figure(units.of_flops(yours), units.exact(yours, "FLOP")), other, note)


def _of_plain(measured: Measurements) -> str:
    if not measured.plain_flops or measured.recomputed_flops is None:
        return ""
    return f"{share(measured.recomputed_flops, measured.plain_flops)} of the plain update"


def peak_tensors(verdict: Verdict) -> list[dict[str, Any]]:
    """Return the tensors live at the learner's peak, largest first, ready to print."""
    rows = []
    for tensor in verdict.peak.get("tensors", []):
        count = tensor.get("count") or 1
        known = tensor.get("shape") is not None
        shape = "[" + ", ".join(str(size) for size in tensor["shape"]) + "]" if known else "scratch of the operator"
        rows.append(
            {
                "tensor": f"{shape} {tensor.get('dtype') or ''}".strip() + (f" × {count}" if count > 1 else ""),
                "kind": timeline.LABELS.get(tensor.get("kind", ""), tensor.get("kind", "")),
                "module": tensor.get("module") or "",
                "operator": tensor.get("operator") or "",
                "size": Figure(units.of_bytes(tensor["bytes"]), units.exact(tensor["bytes"], "bytes")),
            }
        )
    return rows


def next_steps(verdict: Verdict) -> list[str]:
    """Return what to try next: the hints of the failed checks, each once, in the judge's order."""
    hints = (check.hint for check in verdict.checks if not check.passed and check.hint)
    return list(dict.fromkeys(hints))


def runs(verdict: Verdict) -> dict[str, Any]:
    """Return the timelines there are, by run, in the order of the plot."""
    return {name: verdict.timeline[name] for name in RUNS if verdict.timeline.get(name)}


def plot_data(verdict: Verdict) -> dict[str, Any]:
    """Return what the browser needs to read the plot: all of the learner's run, the outline of the others."""
    outline = ("phases", "total", "peak_index")
    return {name: run if name == "yours" else {key: run[key] for key in outline} for name, run in runs(verdict).items()}


def picture(verdict: Verdict, *, standalone: bool = False) -> str:
    """Return the memory timeline as SVG; `standalone` for a file of its own."""
    return timeline.svg(runs(verdict), peak=verdict.peak, legend=standalone, standalone=standalone)


def peak_text(verdict: Verdict) -> str:
    """Return the words at the peak of the plot: peak 48.1 MiB in backward of blocks.3."""
    peak = verdict.peak
    if not peak:
        return ""
    where = f" in {peak['phase']}" if peak.get("phase") else ""
    return f"peak {units.of_bytes(peak['bytes'])}{where}" + (f" of {peak['module']}" if peak.get("module") else "")


def kinds(run: dict[str, Any]) -> list[tuple[str, str]]:
    """Return the kinds of memory that are ever live in a run, as (kind, words)."""
    return [(kind, timeline.LABELS[kind]) for kind in run["kinds"] if any(run["live"][kind])]


def moments(run: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the plot as a table's rows, one cell for each of `kinds`."""
    shown = [kind for kind, _ in kinds(run)]
    return [row | {"cells": [row["live"].get(kind, 0) for kind in shown]} for row in timeline.rows(run)]
