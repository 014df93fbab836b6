"""The judge's side of `compressed-activations`: hidden cases, the reference, the checks and their hints."""

import runpy
from pathlib import Path

import torch

from grader import checks
from grader.compare import Comparison, compare
from grader.verdict import Check

PRIMARY = "chain"

SAVED_SHARE, PEAK_SHARE, LEFT_SHARE = 0.55, 0.70, 0.01
"""Limits as shares of the plain run: bytes at the end of forward, peak, bytes left over after the update."""

GRADIENT_TOLERANCE = 0.03
"""Largest error of a gradient, as a share of its largest element. bfloat16 takes 0.004 in the chain."""

EXACT = {torch.float64: 0.0, torch.float32: 1e-6, torch.float16: 0.0, torch.bfloat16: 0.0, torch.complex64: 0.0}
LOOSE = dict.fromkeys(EXACT, GRADIENT_TOLERANCE)

TITLES = {
    "chain": "Gradients of transformer blocks are within 3 %",
    "parameters": "Parameters and views of them are neither rounded nor copied",
    "other-kinds": "Integers, masks, scalars and other dtypes come back bit for bit",
    "views": "Every tensor comes back with its shape, strides and dtype",
    "model": "A network with masks and indices",
    "scales": "Channels from 1e-6 to 1e6 in one tensor, each within 3 %",
    "uses": "Several uses in one program, and nothing outside them",
    "autocast": "Under autocast",
}

CAUSES = {
    "chain": "Are different tensors ever taken for the same? An address is given to another tensor as soon as the "
    "first one is freed.",
    "parameters": "nn.Linear keeps weight.t(), a view: its _base is the Parameter. It is resident anyway: rounding it "
    "harms every gradient behind it and saves nothing.",
    "other-kinds": "Look at dtype and numel() before anything else: only float32 with more than one element is "
    "rounded.",
    "views": "Note shape and stride() in pack and restore both in unpack (torch.empty_strided, as_strided). An "
    "expanded tensor has stride 0: its elements exist once.",
    "model": "An index or a mask that is a little different is another index or mask.",
    "scales": "float16 ends at 65,504 and below 6e-8; an integer with one scale for many numbers loses the small ones. "
    "Every number needs an exponent of its own.",
    "uses": "State belongs to one use: hooks go when the context is left, by an exception too; unpack may be called "
    "twice for one tensor; a use inside another ends before it.",
    "autocast": "Tensors come in two dtypes here; each must come back in its own.",
}


def cases(rng, harness, mode):
    """Draw the cases of one grading: public ones for Run, fresh seeds and sizes for Submit."""
    if mode == "run":
        return harness.PUBLIC_CASES
    sizes = {"blocks": 9, "batch": 4, "tokens": 256, "width": 128, "heads": 2}
    drawn = [{"name": "chain", "family": "chain", "seed": rng.getrandbits(31), "measure": True, **sizes}]
    for family in harness.FAMILIES:
        if family != "chain":
            sizes = {
                "rows": rng.randrange(40, 70),
                "width": 4 * rng.randrange(12, 20),
                "vocabulary": rng.randrange(20, 40),
            }
            drawn.append({"name": family, "family": family, "seed": rng.getrandbits(31), "measure": False, **sizes})
    return drawn


REFERENCE = {"compress": runpy.run_path(str(Path(__file__).parent / "right" / "bfloat16_by_storage.py"))["compress"]}


def timed_case(rng, harness, mode):
    """The case on which step times are shown (they decide nothing)."""
    sizes = {"blocks": 3, "batch": 4, "tokens": 256, "width": 128, "heads": 2}
    return {"name": "time", "family": "chain", "seed": 3, "measure": False, **sizes}


def check(runs):
    """Return the checks of one grading; `runs` are grader.runs.CaseRun, one a case."""
    found = []
    for run in runs:
        found.append(_results(run))
        if run.case["family"] == "chain" and run.crash is None:
            found += _bytes(run)
    return found


def _results(run):
    """Judge one case: names that begin with "exact:" must be equal, others may be off by 3 %."""
    if run.crash is not None:
        return checks.same_results(run, TITLES, CAUSES)
    family = run.case["family"]
    exact = compare(_named(run.expected, True), _named(run.observed, True), EXACT)
    loose = compare(_named(run.expected, False), _named(run.observed, False), LOOSE)
    both = Comparison(exact.differences + loose.differences, max(exact.largest_error, loose.largest_error))
    hint = "" if both.equal else f"{both.sentence()} {CAUSES[family]}".replace("exact: ", "")
    if exact.differences:
        return Check(family, TITLES[family], False, "equal", "different", "", hint)
    within = loose.differences and loose.largest_error <= GRADIENT_TOLERANCE  # NaN, a wrong shape: no size to show
    actual = loose.differences[0].sort.replace("_", " ") if within else float(f"{loose.largest_error:.2g}")
    return Check(family, TITLES[family], both.equal, GRADIENT_TOLERANCE, actual, "relative", hint)


def _named(values, exact):
    return {name: value for name, value in values.items() if name.startswith("exact:") is exact}


def _bytes(run):
    plain, left = run.plain, run.plain.timeline["total"][-1]
    return [
        _at_most(
            "saved-bytes",
            "Bytes kept at the end of forward, at most 55 % of plain",
            SAVED_SHARE * plain.saved_bytes,
            run.decided_bytes("saved_bytes"),
            "Two bytes a number are half. More than that: a tensor that several operators keep (the input of q, k and "
            "v; the output of ReLU) is one tensor in the plain run and must be one here.",
        ),
        _at_most(
            "peak-bytes",
            "Peak bytes of the update, at most 70 % of plain",
            PEAK_SHARE * plain.peak_bytes,
            run.decided_bytes("peak_bytes"),
            "The full tensor has to go as soon as it is packed, and what unpack makes as soon as it is used.",
        ),
        _at_most(
            "left-over-bytes",
            "Bytes left over after the update",
            left + LEFT_SHARE * plain.saved_bytes,
            run.metered.timeline["total"][-1],
            "Something still holds what was kept: a dict of the module, a closure, a list that only grows.",
        ),
    ]


def _at_most(name, title, limit, actual, hint):
    passed = actual <= limit
    return Check(name, title, passed, int(limit), int(actual), "bytes", "" if passed else hint)
