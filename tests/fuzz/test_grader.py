"""What comes from a sandbox, or as a submission: read, or refused by the one exception that says so; never a pass."""

from __future__ import annotations

import json
import struct
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from grader import catalog, claims, source, timeline, wire
from grader.session import Crashed, Session, Tampering
from grader.verdict import Outcome, Verdict
from tests.labs.conftest import failed_verdict, passed

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
    max_leaves=12,
)
SIZES = st.sampled_from([0, 1, 2, 3, 2**31, 2**39, 2**40, 2**63, -1]) | st.integers()
ENTRIES = st.fixed_dictionaries(
    {
        "name": st.text(max_size=4) | JSON,
        "dtype": st.sampled_from([*wire.DTYPES, "object", ""]) | JSON,
        "shape": st.lists(SIZES, max_size=17) | JSON,
    }
)
BODIES = st.fixed_dictionaries(
    {},
    optional=dict.fromkeys(
        ("ready", "loaded", "refused", "message", "traceback", "crashed", "error", "line", "values", "metered", "ran"),
        JSON,
    ),
)  # fmt: skip


def message(head: Any, blob: bytes) -> bytes:
    text = json.dumps(head).encode()
    return struct.pack("<I", len(text)) + text + blob


MESSAGES = (
    st.binary(max_size=300)
    | st.builds(message, JSON, st.binary(max_size=20))
    | st.builds(
        message,
        st.fixed_dictionaries({"body": BODIES | JSON, "tensors": st.lists(ENTRIES, max_size=3) | JSON}),
        st.binary(max_size=40),
    )
)


@given(MESSAGES)
def test_any_bytes_are_a_message_or_a_wire_error(data: bytes) -> None:
    try:
        body, tensors = wire.decode(data)
    except wire.WireError:
        return
    assert isinstance(body, dict)
    assert all(isinstance(name, str) and isinstance(each, torch.Tensor) for name, each in tensors.items())


class Process:
    def __getattr__(self, name: str) -> Any:
        return lambda: 0


class Box:
    """A sandbox that answers each question with the next of some messages."""

    process = Process()
    output = ""

    def __init__(self, answers: list[bytes]) -> None:
        self.answers = answers

    def send(self, message: bytes) -> None: ...

    def ready(self, seconds: float) -> bool:
        return True

    def receive(self, seconds: float) -> bytes:
        return self.answers.pop(0)


STEPS = {
    "load": lambda session: session.load("", b"x", ("f",), []),
    "run": lambda session: session.run({"seed": 1}, measure=False),
    "measured": lambda session: session.run({"seed": 1}, measure=True),
    "times": lambda session: session.times({"seed": 1}, 3),
}


@pytest.mark.parametrize("step", STEPS)
@given(answer=st.builds(message, st.fixed_dictionaries({"body": BODIES, "tensors": st.just([])}), st.just(b"")))
def test_no_answer_of_a_subject_is_taken_for_something_else(step: str, answer: bytes) -> None:
    """Garbage in the place of an answer ends the session by one of its own words, for each step of the conversation."""
    asked = {"measured": ["armed", "prepared", "ran"], "run": ["ran"]}.get(step, [])
    first = [wire.encode({word: True}) for word in asked]
    try:
        STEPS[step](Session(Box([*first, answer])))  # type: ignore[arg-type]
    except (Tampering, Crashed, wire.WireError):
        return
    except Exception as error:
        assert type(error).__name__ == "Refused", repr(error)
        return
    body, _ = wire.decode(answer)
    assert step in ("load", "run") and (body == {"loaded": True} or body.keys() == {"values", "metered"})


GOOD_LINE = {
    "phases": [{"name": "forward", "start": 0}],
    "kinds": ["gradient"],
    "live": {"gradient": [0, 5, 0]},
    "total": [0, 5, 0],
    "peak_index": 1,
}
GOOD = {
    "saved_bytes": 5, "peak_bytes": 5, "replay_bytes": 0, "flops": 1, "replay_flops": 0, "unseen_bytes": 0, "events": 1,
    "operators": 1, "flops_by_phase": {"forward": 1}, "device": "cpu", "timeline": GOOD_LINE,
    "peak": {"bytes": 5, "phase": "forward", "index": 1, "module": "", "operator": "", "tensors": []},
}  # fmt: skip


def places(data: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the way to every value inside of some data."""
    inner = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    return [at, *(way for key, value in inner for way in places(value, (*at, key)))]


def spoiled(data: Any, way: tuple[Any, ...], value: Any) -> Any:
    """Return a copy of the data with another value at one place."""
    if not way:
        return value
    copy = dict(data) if isinstance(data, dict) else list(data)
    copy[way[0]] = spoiled(data[way[0]], way[1:], value)
    return copy


def test_the_figures_that_are_spoiled_below_are_good() -> None:
    assert claims.metered(GOOD).peak_bytes == 5
    assert timeline.validate(GOOD_LINE)["total"] == [0, 5, 0]


@given(st.sampled_from(places(GOOD)), JSON)
def test_figures_with_anything_in_one_place_are_believed_or_refused(way: tuple[Any, ...], value: Any) -> None:
    try:
        metered = claims.metered(spoiled(GOOD, way, value))
    except (ValueError, KeyError, TypeError):
        return
    assert metered.peak_bytes == max(metered.timeline["total"]) == metered.peak["bytes"]


VERDICTS = [failed_verdict().to_json(), passed().to_json()]
SPOILED = st.one_of([st.builds(spoiled, st.just(one), st.sampled_from(places(one)), JSON) for one in VERDICTS])


@given(SPOILED | st.dictionaries(st.text(max_size=8), JSON, max_size=5))
def test_a_verdict_from_garbage_is_refused_and_never_a_pass(data: Any) -> None:
    try:
        verdict = Verdict.from_json(data)
    except (ValueError, KeyError, TypeError, AttributeError):
        return
    assert verdict.outcome.value == data["outcome"]
    assert 0.0 <= verdict.score <= 1.0
    if verdict.outcome is Outcome.PASSED:
        assert all(check.passed is True for check in verdict.checks)


CODE = st.lists(
    st.sampled_from(
        ["def checkpoint(f, *a):\n    return f(*a)\n", "import torch.utils.checkpoint\n",
         "from torch.utils import checkpoint as c\n",
         "c(", ")", "(" * 300, "lambda:" * 60, "'", '"""', "\n", "    ", "#", "\\", "f'{x!r:{y}}'", "\x0c", "\ufeff",
         "\x1a", "a.b" * 400,
         "match x:\n case", "async ", "0" * 5000, "type X = int\n", "# -*- coding: utf-16 -*-\n", "\u2028", "é"]
    ) | st.text(max_size=12),
    max_size=10,
).map(lambda parts: "".join(parts).encode("utf-8", "surrogatepass"))  # fmt: skip
LAB = catalog.get("checkpoint-function")


@given(CODE | st.binary(max_size=200) | st.binary(max_size=30).map(lambda tail: LAB.starter.encode() + tail))
def test_any_file_is_looked_at_or_refused_in_a_sentence(data: bytes) -> None:
    refused = source.examine(data, LAB)
    if refused is None:
        assert all(line >= 0 for _, line in source.forbidden_imports(data, LAB))
    else:
        assert refused.message.endswith((".", "?", "submit again."))
