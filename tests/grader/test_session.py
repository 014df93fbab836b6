"""The judge's end of the conversation, answered by a box that says whatever a test wants it to say."""

from __future__ import annotations

import json
from typing import Any

import pytest
import torch

from grader import meter, wire
from grader.program import Program
from grader.runs import Outside
from grader.sandbox import Ended, Reason, Unavailable
from grader.sandbox.ends import ended
from grader.sandbox.kernel import Gone
from grader.session import MAX_TEXT, Cancelled, Crashed, NotReady, Refused, Session, Tampering

CASE = {"seed": 1, "name": "a"}
RAN = [{"armed": True}, {"prepared": True}, {"ran": True}]


class Process:
    """What the kernel says: 100 bytes, one second; or, once `gone`, nothing more."""

    gone = False

    def __getattr__(self, name: str) -> Any:
        def read() -> Any:
            if self.gone:
                raise Gone("process 7 has ended")
            return 1.0 if name == "cpu_seconds" else 100

        return read


class Box:
    """A sandbox that answers with the next of some bodies: (body, tensors), a body, raw bytes, or an error to raise."""

    output = "printed before\n"

    def __init__(self, *answers: Any, unread: int = 0, becomes_ready: bool = True) -> None:
        self.answers, self.sent, self.process = list(answers), [], Process()
        self.left, self.becomes_ready, self.waits = unread, becomes_ready, []

    def send(self, message: bytes) -> None:
        self.sent.append(wire.decode(message)[0])

    def ready(self, seconds: float) -> bool:
        self.waits.append(seconds)
        return self.becomes_ready

    def receive(self, seconds: float) -> bytes:
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return (
            answer if isinstance(answer, bytes) else wire.encode(*(answer if isinstance(answer, tuple) else [answer]))
        )

    def unread(self) -> int:
        return self.left

    def restart_clocks(self, **seconds: float) -> None:
        self.clocks = seconds


def session(*answers: Any, **options: Any) -> Session:
    return Session(Box(*answers, **options))  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def figures() -> dict[str, Any]:
    """What the meter says of an update."""
    meter.warm()
    metered = meter.run(Program([("forward", lambda: torch.ones(8) * 2), ("backward", lambda: None)], dict))
    return json.loads(json.dumps(metered.to_json()))


# Before anything of the learner's is in it


def test_a_sandbox_is_ready_when_it_says_so_and_the_compiler_is_asked_for_first():
    ready = session({"ready": True}, {"compiler": True})
    ready.wait_ready(60, with_compiler=True)
    assert ready.box.sent == [{"op": "compiler"}]
    assert ready.ready_bytes == 100


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (ended(Reason.EXITED, 1, None), "exit status 1.*printed before"),
        (Unavailable("no bubblewrap"), "no bubblewrap"),
        (b"\0", "did not become ready"),
        ({"loaded": True}, "did not say 'ready'"),
    ],
)
def test_a_sandbox_that_does_not_become_ready_is_our_fault_and_says_what_it_printed(answer, said):
    with pytest.raises(NotReady, match=f"(?s){said}"):
        session(answer).wait_ready(60)


def test_a_sandbox_that_is_gone_when_it_is_looked_at_is_our_fault():
    gone = session({"ready": True})
    gone.box.process.gone = True
    with pytest.raises(NotReady, match="process 7 has ended"):
        gone.wait_ready(60)


# Loading


def test_loading_sends_the_source_as_it_is_and_not_as_text():
    loaded = session({"loaded": True})
    loaded.load("harness", b"\xff", ("f",), ["torch.compile"])
    (sent,) = loaded.box.sent
    assert sent == {"op": "load", "harness": "harness", "entry_points": ["f"], "forbid": ["torch.compile"]}


@pytest.mark.parametrize(
    ("body", "said", "traceback"),
    [
        ({"refused": "not_a_module", "message": "Not\x1b[2J so.", "traceback": "x\0y"}, "Not\\x1b[2J so.", "x\\x00y"),
        ({"refused": "entry_point", "message": ""}, "After the module ran, it defines no callable f() and g().", ""),
        ({"refused": "entry_point", "message": 7, "traceback": ["no text"]}, "it defines no callable", ""),
    ],
)
def test_a_refused_module_says_why_with_nothing_hidden(body, said, traceback):
    with pytest.raises(Refused) as refused:
        session(body).load("", b"x", ("f", "g"), [])
    assert said in str(refused.value)
    assert refused.value.traceback == traceback


@pytest.mark.parametrize("body", [{}, {"loaded": 1.0, "more": 1}, {"loaded": False}])
def test_another_answer_to_load_is_not_ours(body):
    with pytest.raises(Tampering, match="load"):
        session(body).load("", b"x", ("f",), [])


@pytest.mark.parametrize(("said", "line"), [(3, 3), (0, None), (-1, None), (10**6, None), ("3", None), (None, None)])
def test_a_crash_carries_the_learners_line_where_it_can_be_one(said, line):
    body = {"crashed": "crashed", "error": "ValueError: x", "line": said, "traceback": "t" * (MAX_TEXT + 1)}
    with pytest.raises(Crashed) as crashed:
        session(body).load("", b"x", ("f",), [])
    crash = crashed.value.crash
    assert (crash.error, crash.line, crash.kind) == ("ValueError: x", line, "crashed")
    assert len(crash.traceback) == MAX_TEXT


def test_a_crash_for_want_of_memory_is_told_apart_and_one_without_a_text_has_one():
    with pytest.raises(Crashed, match="an error without a text") as crashed:
        session({"crashed": "out_of_memory"}).load("", b"x", ("f",), [])
    assert crashed.value.crash.kind == "out_of_memory"


# A case


def test_a_measured_case_is_warmed_with_another_seed_and_its_own_is_sent_last(figures):
    told = session(*RAN, ({"values": {"n": 3}, "metered": figures}, {"y": torch.ones(2)}))
    told.arm(CASE, True, warm_seed=99)
    observed, metered, outside = told.run(CASE, True)
    assert [sent["op"] for sent in told.box.sent] == ["warm", "case", "go", "report"]
    assert [told.box.sent[n]["case"]["seed"] for n in (0, 1)] == [99, 1]
    assert observed["n"] == 3 and torch.equal(observed["y"], torch.ones(2))
    assert metered is not None and metered.to_json() == figures
    assert outside == Outside(0, 100, 100, 100, 100, 100, 100, 0.0)


def test_a_case_that_is_not_measured_carries_no_figures():
    told = session({"prepared": True}, {"ran": True}, {"values": {"n": None, "s": "a\x07"}, "metered": None})
    told.arm(CASE, False)
    assert told.run(CASE, False) == ({"n": None, "s": "a\\x07"}, None, None)
    assert [sent["op"] for sent in told.box.sent] == ["case", "go", "report"]


def test_a_word_out_of_turn_is_not_ours():
    with pytest.raises(Tampering, match="expected 'prepared'"):
        session({"ran": True}).arm(CASE, False)


@pytest.mark.parametrize(
    "report",
    [
        {"values": {}},
        {"values": [], "metered": None},
        {"values": {}, "metered": None, "outcome": "passed"},
        ({"values": {"y": 1}, "metered": None}, {"y": torch.ones(1)}),
    ],
    ids=["no figures", "no mapping", "a field of its own", "a name twice"],
)
def test_a_report_of_another_form_is_not_ours(report):
    with pytest.raises(Tampering, match="wrong form"):
        session({"ran": True}, report).run(CASE, False)


@pytest.mark.parametrize(
    "values",
    [{"n" * 201: 1}, {"a\nb": 1}, {str(n): n for n in range(wire.MAX_TENSORS + 1)}],
    ids=["long", "line", "many"],
)
def test_names_that_our_harness_never_gives_are_not_ours(values):
    with pytest.raises(Tampering, match="names results"):
        session({"ran": True}, {"values": values, "metered": None}).run(CASE, False)


@pytest.mark.parametrize("value", [0.5, [1], {"a": 1}, 2**62])
def test_values_of_a_kind_that_our_harness_never_sends_are_not_ours(value):
    with pytest.raises(Tampering, match="of a kind"):
        session({"ran": True}, {"values": {"n": value}, "metered": None}).run(CASE, False)


def test_figures_that_no_update_can_have_are_not_ours(figures):
    with pytest.raises(Tampering, match="metered figures have the wrong form"):
        session(*RAN, {"values": {}, "metered": figures | {"peak_bytes": 1}}).run(CASE, True)


def test_a_process_that_is_gone_when_it_is_looked_at_says_how_it_ended():
    gone = session({"armed": True}, {"prepared": True}, ended(Reason.SIGNALLED, None, 11))
    gone.box.process.gone = True
    with pytest.raises(Ended, match="SIGSEGV"):
        gone.run(CASE, True)


# Times, the clock and the end


def test_times_are_taken_as_they_are_told():
    seconds = {"median": 0.2, "low": 0.1, "high": 0.3, "ratio": 1.5}
    told = session({"seconds": seconds})
    assert told.times(CASE, 5) == seconds
    assert told.box.sent == [{"op": "times", "case": CASE, "pairs": 5}]


@pytest.mark.parametrize("ratio", [None, 1, "1.5", -0.1, 1e6])
def test_a_time_that_is_no_time_is_not_ours(ratio):
    with pytest.raises(Tampering, match="times"):
        session({"seconds": {"median": 0.2, "low": 0.1, "high": 0.3, "ratio": ratio}}).times(CASE, 5)


def test_the_clock_is_started_in_the_sandbox_and_here_and_what_is_left_of_it_is_waited_for():
    late = session({"loaded": True}, becomes_ready=False)
    late.start_clock(0.4)
    assert late.box.clocks == {"wall_seconds": 0.4, "cpu_seconds": 0.4}
    late.load("", b"x", ("f",), [])
    assert late.box.waits == [], "with less than half a second left, nobody looks whether it is still wanted"


def test_a_submission_that_nobody_wants_any_more_is_not_waited_for():
    asked: list[int] = []

    def given_up() -> bool:
        asked.append(1)
        return len(asked) > 2

    stopped = Session(Box(becomes_ready=False), given_up)  # type: ignore[arg-type]
    with pytest.raises(Cancelled):
        stopped.load("", b"x", ("f",), [])
    assert stopped.box.waits == [0.5, 0.5]


def test_more_than_was_asked_for_is_not_ours():
    session().finish()
    with pytest.raises(Tampering, match="more on it than was asked for"):
        session(unread=1).finish()
