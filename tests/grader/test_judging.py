"""What the judge makes of each way in which a conversation can go. Nothing runs: the answers are written here."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from grader import judge
from grader.meter import Metered
from grader.runs import Crash, Outside, Prepared
from grader.sandbox import Ended, Garbled, OutOfMemory, Reason, TimedOut, TooLong, Unavailable
from grader.session import Crashed, NotReady, Refused, Tampering
from grader.verdict import Check, Outcome, StepSeconds, Verdict
from grader.wire import WireError

MB = 1_000_000
SOURCE = b"def checkpoint(): ...\n"
FIGURES = Metered(
    20 * MB, 30 * MB, 5 * MB, 1_300, {"forward": 1_300}, 300, {"total": [1]}, {"bytes": 30 * MB}, 0, 9, 100, "cpu"
)
SEEN = Outside(300 * MB, 310 * MB, 320 * MB, 320 * MB, 350 * MB, 320 * MB, 330 * MB, cpu_seconds=1.5)
CASES = [{"name": "small", "family": "results"}, {"name": "chain", "family": "bytes", "measure": True}]
SECONDS = {"median": 0.2, "low": 0.1, "high": 0.3, "ratio": 1.5}
HELD = Check("results", "Same results", True)


class Talk:
    """A conversation that goes as it is told to: what `load`, each case and the timing answer, or raise."""

    def __init__(self, load: Exception | None, cases: list[Any], times: Any, finish: Exception | None) -> None:
        self.answers, self.ways, self.played = {"load": load, "times": times, "finish": finish}, cases, 0

    def __call__(self, box: Any, cancelled: Any) -> Talk:
        self.box = box
        return self

    def wait_ready(self, seconds: float, with_compiler: bool) -> None:
        self.with_compiler = with_compiler

    def start_clock(self, seconds: float) -> None:
        self.clock = seconds

    def load(self, harness: str, source: bytes, entry_points: Any, forbid: list[str]) -> None:
        self.forbid = forbid
        self._say("load")

    def arm(self, case: Any, measure: bool, warm_seed: int) -> None:
        self.played += 1

    def run(self, case: Any, measure: bool) -> Any:
        way = self.ways[self.played - 1]
        if isinstance(way, Exception):
            raise way
        return ({"y": 1}, replace(FIGURES), way) if measure else ({"y": 1}, None, None)

    def times(self, case: Any, pairs: int) -> Any:
        return self._say("times")

    def finish(self) -> None:
        self._say("finish")

    def _say(self, what: str) -> Any:
        if isinstance(answer := self.answers[what], Exception):
            raise answer
        return answer


@pytest.fixture
def graded(monkeypatch) -> Callable[..., Verdict]:
    """Grade as a conversation goes; what was said and asked is kept on the fixture."""

    def grade(
        source: bytes = SOURCE,
        *,
        load: Exception | None = None,
        cases: tuple[Any, ...] = (None, SEEN),
        times: Any = SECONDS,
        finish: Exception | None = None,
        checks: tuple[Check, ...] = (HELD,),
        ready: bool = True,
        mode: str = "submit",
        sandbox: str = "bwrap",
        dropped_bytes: int = 0,
    ) -> Verdict:
        talk = grade.talk = Talk(load, list(cases), times, finish)  # type: ignore[attr-defined]
        grade.judged, grade.measured = [], []  # type: ignore[attr-defined]

        def check(runs: list[Any]) -> list[Check]:
            grade.judged = [run.case["name"] for run in runs]  # type: ignore[attr-defined]
            return list(checks)

        lab_judge = SimpleNamespace(
            PRIMARY="bytes",
            cases=lambda rng, harness, mode: [dict(case) for case in CASES],
            timed_case=lambda rng, harness, mode: {"name": "timed", "family": "bytes"},
            check=check,
        )
        monkeypatch.setattr(judge.lab_code, "judge", lambda lab: lab_judge)
        monkeypatch.setattr(judge.lab_code, "harness", lambda lab: SimpleNamespace())
        for name, value in {
            "prepare": lambda: None,
            "measure": lambda lab, case: grade.measured.append(case["name"]),  # type: ignore[attr-defined]
            "expected": lambda lab, case: ({"y": 1}, replace(FIGURES, peak_bytes=90 * MB, flops=1_000)),
            "best": lambda lab, case: replace(FIGURES, flops=1_300),
            "prepared": lambda lab, case: Prepared(),
            "cpu_seconds": lambda lab, case: 1.0,
        }.items():
            monkeypatch.setattr(judge.reference, name, value)
        process = SimpleNamespace(pid=7)
        box = SimpleNamespace(process=process, mode=sandbox, output="printed", dropped_bytes=dropped_bytes)
        box.ready = lambda seconds: ready
        monkeypatch.setattr(judge.pool, "take", lambda *_: nullcontext(box))
        monkeypatch.setattr(judge.pool, "fill", lambda *_: None)
        monkeypatch.setattr(judge, "Session", talk)
        return judge.grade("checkpoint-function", source, mode=mode)

    return grade


# To its end


def test_where_every_check_holds_it_passed_and_the_primary_cases_figures_are_shown(graded):
    verdict = graded()
    assert (verdict.outcome, verdict.score, verdict.message) == (Outcome.PASSED, 1.0, "Every check passed.")
    assert (verdict.output, verdict.notes, graded.judged) == ("printed", (), ["small", "chain"])
    shown = verdict.measurements
    assert (shown.saved_bytes, shown.peak_bytes, shown.plain_peak_bytes) == (20 * MB, 30 * MB, 90 * MB)
    assert (shown.step_flops, shown.plain_flops, shown.recomputed_flops) == (1_300, 1_000, 300)
    assert shown.kernel_peak_bytes == 30 * MB
    assert shown.step_seconds == StepSeconds(**SECONDS)
    assert set(verdict.timeline) == {"yours", "plain", "reference"} and verdict.peak == FIGURES.peak


def test_the_checks_that_do_not_hold_are_counted_and_the_first_is_named(graded):
    verdict = graded(
        checks=(HELD, Check("peak", "Peak bytes", False, hint="."), Check("work", "Work", False, hint="."))
    )
    assert verdict.outcome is Outcome.FAILED
    assert verdict.message == "2 of 4 checks failed. First: Peak bytes.", "one is that it was written oneself"
    assert verdict.score == 0.5


def test_what_the_lab_is_about_must_be_written_and_the_line_that_uses_it_is_named(graded):
    verdict = graded(b"import torch.utils.checkpoint as c\n" + SOURCE)
    (own,) = [check for check in verdict.checks if check.name == "written-yourself"]
    assert (own.passed, own.actual) == (False, "line 1")
    assert "Line 1 uses torch.utils.checkpoint" in own.hint
    assert graded.talk.forbid == [], "so that it runs, and all its checks are judged"
    assert graded().checks[0].passed
    assert "torch.utils.checkpoint" in graded.talk.forbid


def test_times_are_taken_of_a_submission_only_and_decide_nothing(graded):
    assert graded(mode="run").measurements.step_seconds is None
    for broken in (Crashed(Crash("ValueError", 1, "")), Ended(Reason.EXITED, 1, None)):
        verdict = graded(times=broken)
        assert (verdict.outcome, verdict.measurements.step_seconds) == (Outcome.PASSED, None)


def test_a_judge_that_returns_no_check_passes_nobody(graded, monkeypatch):
    lab = replace(judge.catalog.get("checkpoint-function"), forbidden_imports=())
    monkeypatch.setattr(judge.catalog, "get", lambda slug: lab)
    assert graded(checks=()).outcome is Outcome.UNGRADABLE


# Figures that do not agree


def test_memory_that_torch_does_not_see_is_refused_with_both_figures(graded):
    verdict = graded(cases=(None, replace(SEEN, running=SEEN.prepared + 70 * MB)))
    assert (verdict.outcome, verdict.score) == (Outcome.REFUSED, 0.0)
    assert "grew by 70,000,000 bytes while torch's allocator reports a peak of 30,000,000" in verdict.message


def test_work_that_the_meter_does_not_see_is_refused_and_less_of_it_is_noted(graded):
    verdict = graded(cases=(None, replace(SEEN, cpu_seconds=60.0)))
    assert (verdict.outcome, verdict.score) == (Outcome.REFUSED, 0.0)
    assert "used 60.0 seconds of processor time, far beyond what its 1,300 FLOPs explain" in verdict.message
    verdict = graded(cases=(None, replace(SEEN, cpu_seconds=8.0)))
    assert verdict.outcome is Outcome.PASSED
    assert verdict.notes[0].startswith("chain used 8.0 s of processor time; the FLOPs it reports explain 1.0 s")


def test_what_is_not_as_it_should_be_is_noted(graded):
    assert graded(dropped_bytes=1_234).notes == ("The output was cut: 1,234 more bytes were printed and not kept.",)
    assert graded(sandbox="none").notes == ("Graded without a sandbox: only run code that you trust.",)


# Errors of the submission


def test_an_error_in_a_case_is_shown_and_the_other_cases_are_judged(graded):
    verdict = graded(cases=(Crashed(Crash("KeyError: 'x'", 3, "line 3")), SEEN))
    assert (verdict.outcome, verdict.message, verdict.traceback) == (Outcome.CRASHED, "KeyError: 'x'", "line 3")
    assert graded.judged == ["small", "chain"]
    assert verdict.measurements.step_seconds is None, "nothing is timed that crashed"


def test_want_of_memory_ends_the_grading_with_the_limit(graded):
    verdict = graded(cases=(Crashed(Crash("MemoryError", 3, "line 3", "out_of_memory")), SEEN))
    assert verdict.outcome is Outcome.OUT_OF_MEMORY
    assert "more memory than the 4 GiB a submission may use. MemoryError" in verdict.message
    assert graded.judged == ["small"]


IMPORT = "Importing your module raised an error before any case was played. "


@pytest.mark.parametrize(
    ("error", "outcome", "message"),
    [
        (TimedOut(Reason.WALL, None, 9), "timed_out", "Stopped after 40 seconds, during the import of your module."),
        (OutOfMemory(Reason.MEMORY, None, 9), "out_of_memory", "The process went over its memory limit."),
        (Ended(Reason.EXITED, 3, None), "killed", "its own process during the import of your module (The process left"),
        (Refused("It defines no callable f().", "trace"), "refused", "It defines no callable f()."),
        (Crashed(Crash("ValueError: x", 3, "trace")), "crashed", IMPORT + "ValueError: x"),
        (Crashed(Crash("MemoryError", 3, "", "out_of_memory")), "out_of_memory", IMPORT + "MemoryError"),
        (Tampering("a word"), "refused", "Your process reports what the grader's code never does: a word."),
        (WireError("no head"), "refused", "Something else wrote to the result channel (no head)."),
        (Garbled("no message"), "refused", "Something else wrote to the result channel (no message)."),
        (TooLong("9 bytes"), "refused", "Something else wrote to the result channel (9 bytes)."),
        (NotReady("no torch"), "ungradable", "Grading failed on our side."),
        (RuntimeError("a bug"), "ungradable", "Grading failed on our side."),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else "",
)
def test_each_end_before_the_first_case_has_an_outcome_and_a_sentence(graded, error, outcome, message):
    verdict = graded(load=error)
    assert (verdict.outcome.value, verdict.score, verdict.checks) == (outcome, 0.0, ())
    assert message in verdict.message
    assert verdict.traceback == (
        getattr(error, "traceback", "") or getattr(getattr(error, "crash", 0), "traceback", "")
    )


def test_an_end_in_a_later_case_names_it_and_the_complete_ones_are_judged(graded):
    verdict = graded(cases=(None, Ended(Reason.EXITED, 0, None)))
    assert verdict.outcome is Outcome.KILLED
    assert "during case chain (" in verdict.message
    assert graded.judged == ["small"] and verdict.checks == (HELD,)
    assert "during chain." in graded(cases=(None, TimedOut(Reason.CPU, None, 9))).message


def test_something_left_on_the_channel_is_refused_though_every_check_holds(graded):
    verdict = graded(finish=Tampering("there was more"))
    assert (verdict.outcome, verdict.score) == (Outcome.REFUSED, 0.0)


def test_a_grading_that_nobody_wants_any_more_has_no_verdict(graded):
    with pytest.raises(judge.Cancelled):
        graded(load=judge.Cancelled())


# Around it


def test_the_references_are_metered_while_the_sandbox_starts_and_not_kept_waiting_for(graded):
    graded(ready=False)
    assert graded.measured == ["chain"]
    graded(ready=True)
    assert graded.measured == []


def test_the_compiler_is_asked_for_where_the_source_may_use_it(graded):
    graded(b"import torch\n" + SOURCE)
    assert not graded.talk.with_compiler
    graded(b"from torch.func import vjp\n" + SOURCE)
    assert graded.talk.with_compiler


def test_what_cannot_be_a_submission_is_refused_before_a_sandbox_is_taken(monkeypatch):
    monkeypatch.setattr(judge.pool, "take", lambda *_: pytest.fail("a sandbox was taken"))
    verdict = judge.grade("checkpoint-function", b"def checkpoint(:")
    assert verdict.outcome is Outcome.REFUSED
    assert "Line 1" in verdict.message and "def checkpoint(:" in verdict.traceback


def test_a_worker_is_warm_when_one_sandbox_waits_and_the_meter_is_prepared(monkeypatch):
    done: list[Any] = []
    monkeypatch.setattr(judge.pool, "keep", lambda size: done.append(size))
    monkeypatch.setattr(judge.pool, "fill", lambda mode, limits: done.append((mode, limits)))
    monkeypatch.setattr(judge.reference, "prepare", lambda: done.append("meter"))
    judge.warm("bwrap")
    assert done == [1, ("bwrap", judge.LIMITS), "meter"]


def test_a_process_that_cannot_grade_says_so(monkeypatch):
    def unavailable(mode: str) -> None:
        raise Unavailable(f"no {mode}")

    monkeypatch.setattr(judge.subjects, "ready", unavailable)
    with pytest.raises(Unavailable, match="no bwrap"):
        judge.ready("bwrap")
