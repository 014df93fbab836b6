"""Grade one submission: the trusted side. Plays a lab's cases in a sandbox, computes what is right itself, compares.

The learner's process holds no reference, no target and no seed before its case is played; what it reports about
itself is a claim, and the kernel's view of its memory is taken from outside.
"""

from __future__ import annotations

import logging
import random
import secrets
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from grader import catalog, compiler, devices, lab_code, pool, reference, source, subjects, wire
from grader import sandbox as boxes
from grader.catalog import Lab
from grader.program import Case
from grader.runs import CaseRun
from grader.session import Cancelled, Crashed, Refused, Session, Tampering
from grader.verdict import Check, Measurements, Outcome, StepSeconds, Verdict

__all__ = ["Cancelled", "grade", "ready", "warm"]

log = logging.getLogger(__name__)

Progress = Callable[[str, int, int], None]

START_SECONDS = 60.0
"""How long a sandbox may take to import torch before that is our fault (0.9 s on an idle core)."""

TIME_PAIRS = 5

LIMITS = boxes.Limits()


def grade(
    slug: str,
    submission: bytes,
    *,
    device: str = "cpu",
    mode: str = "submit",
    sandbox: str = "auto",
    progress: Progress | None = None,
    cancelled: Callable[[], bool] | None = None,
    seed: int | None = None,
) -> Verdict:
    """Grade `submission` (the bytes of one module) in the lab `slug` and return the verdict.

    mode      "submit" plays all cases with fresh seeds, "run" the public ones
    progress  called with (phase, done, total): "starting", "case", "judging"
    seed      draws the cases again as an earlier grading drew them (for tests); fresh if None

    A fault of ours is a verdict too (`ungradable`); raises KeyError for an unknown lab, ValueError for an unknown
    mode and for a device that the lab does not run on or that is not here, and Cancelled.
    """
    lab = catalog.get(slug)
    if device not in lab.devices:
        raise ValueError(f"{slug} runs on {' or '.join(lab.devices)}, not on {device!r}")
    if lacking := devices.missing(device):
        raise ValueError(f"{slug} cannot be graded on {device}. {lacking}")
    if mode not in ("submit", "run"):
        raise ValueError(f"mode must be 'submit' or 'run', not {mode!r}")
    say = progress or (lambda phase, done, total: None)
    if refusal := source.examine(submission, lab):
        return Verdict(slug, Outcome.REFUSED, device=device, message=refusal.message, traceback=refusal.traceback)
    try:
        return _Grading(lab, submission, device, mode, sandbox, say, cancelled, seed).verdict()
    except Cancelled:
        raise
    except Exception:  # what the submission does raises our own kinds: anything else is a fault of ours
        log.exception("grading %s failed on our side", slug)
        message = "Grading failed on our side. It does not count as an attempt; your code is kept."
        return Verdict(slug, Outcome.UNGRADABLE, device=device, message=message)


def ready(sandbox: str = "auto") -> None:
    """Raise sandbox.Unavailable, with a sentence that says what to do, where this process cannot grade at all."""
    subjects.ready(sandbox)


def warm(sandbox: str = "auto") -> None:
    """Pay every first-use cost of this process and start a sandbox ahead: a worker calls this before its first task."""
    pool.keep(1)
    pool.fill(sandbox, LIMITS)
    reference.prepare()


class _Grading:
    """One grading from the start of the sandbox to the verdict."""

    def __init__(
        self,
        lab: Lab,
        submission: bytes,
        device: str,
        mode: str,
        sandbox_mode: str,
        say: Progress,
        cancelled: Callable[[], bool] | None,
        seed: int | None,
    ) -> None:
        self.lab, self.submission, self.device, self.mode = lab, submission, device, mode
        self.sandbox_mode, self.say, self.cancelled = sandbox_mode, say, cancelled
        self.rng = random.Random(seed if seed is not None else secrets.randbits(64))
        self.harness, self.lab_judge = lab_code.harness(lab), lab_code.judge(lab)
        self.runs: list[CaseRun] = []
        self.seconds: StepSeconds | None = None

    def verdict(self) -> Verdict:
        self.say("starting", 0, 0)
        cases = [self._placed(case) for case in self.lab_judge.cases(self.rng, self.harness, self.mode)]
        forbidden = source.forbidden_imports(self.submission, self.lab)
        with pool.take(self.sandbox_mode, LIMITS, self.device) as box:
            log.info("%d cases are played.", len(cases), extra={"lab": self.lab.slug, "sandbox": box.process.pid})
            session = Session(box, self.cancelled)
            reference.prepare()
            self._measure_references(session, cases)
            session.wait_ready(START_SECONDS, with_compiler=compiler.wanted(self.submission))
            try:
                session.start_clock(self.lab.time_limit_s)
                forbid = [] if forbidden else list(self.lab.forbidden_imports)
                session.load(self.lab.harness, self.submission, self.lab.entry_points, forbid)
                self._play(session, cases)
                self._time(session)
                session.finish()
                self.say("judging", len(cases), len(cases))
                found = self._judge(forbidden)
            except boxes.TimedOut:
                found = self._stopped(Outcome.TIMED_OUT, self._too_slow())
            except boxes.OutOfMemory as error:
                found = self._stopped(Outcome.OUT_OF_MEMORY, str(error))
            except boxes.Ended as error:
                found = self._stopped(Outcome.KILLED, self._ended(error))
            except Refused as error:
                found = self._stopped(Outcome.REFUSED, str(error), error.traceback)
            except Crashed as error:
                found = self._crashed_on_import(error)
            except Tampering as error:
                found = self._stopped(
                    Outcome.REFUSED, f"Your process reports what the grader's code never does: {error}."
                )
            except (wire.WireError, boxes.Garbled, boxes.TooLong) as error:
                found = self._stopped(Outcome.REFUSED, f"Something else wrote to the result channel ({error}).")
            return replace(found, output=box.output, notes=self._notes(box))

    def _placed(self, case: Case) -> Case:
        """Name the device in the case: the harness, the meter and the references all read it there."""
        return {**case, "device": self.device}

    def _play(self, session: Session, cases: list[Case]) -> None:
        """Play the cases; while the subject works on one, compute what is right for it here."""
        for number, case in enumerate(cases):
            self.say("case", number, len(cases))
            measure = bool(case.get("measure"))
            run = CaseRun(case)
            self.runs.append(run)
            try:
                session.arm(case, measure, self.rng.getrandbits(31))
                if measure:  # this takes long enough for the next sandbox to start beside it
                    pool.fill(self.sandbox_mode, LIMITS, self.device)
                self._expect(run)
                run.observed, run.metered, run.outside = session.run(case, measure)
            except Crashed as error:
                run.crash = error.crash
                self._expect(run)
                if error.crash.kind == "out_of_memory":
                    break

    def _measure_references(self, session: Session, cases: list[Case]) -> None:
        """Meter the judge's own runs while the sandbox still starts; one that waits in the pool is not kept waiting."""
        for case in filter(lambda case: case.get("measure"), cases):
            if session.box.ready(0):
                return
            reference.measure(self.lab, case)

    def _expect(self, run: CaseRun) -> None:
        """Compute what is right for a case, once."""
        if run.expected:
            return
        run.expected, run.plain = reference.expected(self.lab, run.case)
        if run.case.get("measure"):
            run.reference, run.prepared = reference.best(self.lab, run.case), reference.prepared(self.lab, run.case)
            run.own_cpu_seconds = reference.cpu_seconds(self.lab, run.case)

    def _time(self, session: Session) -> None:
        draw = getattr(self.lab_judge, "timed_case", None)
        if self.mode != "submit" or draw is None or any(run.crash for run in self.runs):
            return
        try:
            case = self._placed(draw(self.rng, self.harness, self.mode))
            self.seconds = StepSeconds(**session.times(case, TIME_PAIRS))
        except (Crashed, boxes.Ended):
            self.seconds = None  # it passed or failed without it: times decide nothing

    def _judge(self, forbidden: list[tuple[str, int]]) -> Verdict:
        found: list[Check] = [*self._written_yourself(forbidden), *self.lab_judge.check(self.runs)]
        if not found:
            raise ValueError(f"the judge of {self.lab.slug} returned no checks")
        passed = sum(check.passed for check in found)
        crash = next((run.crash for run in self.runs if run.crash), None)
        base = self._verdict(Outcome.FAILED, checks=tuple(found), score=passed / len(found))
        if crash is not None and crash.kind == "out_of_memory":
            limit = LIMITS.memory_bytes / 2**30
            text = f"Your code asked for more memory than the {limit:.0f} GiB a submission may use. {crash.error}"
            return replace(base, outcome=Outcome.OUT_OF_MEMORY, message=text, traceback=crash.traceback)
        if crash is not None:
            return replace(base, outcome=Outcome.CRASHED, message=crash.error, traceback=crash.traceback)
        if any(run.figures_disagree() for run in self.runs):
            return replace(base, outcome=Outcome.REFUSED, score=0.0, message=self._disagreement())
        if any(run.works_unseen() for run in self.runs):
            return replace(base, outcome=Outcome.REFUSED, score=0.0, message=self._unseen_work())
        if passed == len(found):
            return replace(base, outcome=Outcome.PASSED, message="Every check passed.")
        first = next(check for check in found if not check.passed)
        return replace(base, message=f"{len(found) - passed} of {len(found)} checks failed. First: {first.title}.")

    def _written_yourself(self, forbidden: list[tuple[str, int]]) -> list[Check]:
        if not self.lab.forbidden_imports:
            return []
        names = ", ".join(self.lab.forbidden_imports)
        title = f"Written without {names}"
        if not forbidden:
            return [Check("written-yourself", title, True, "not used", "not used")]
        name, line = forbidden[0]
        hint = f"Line {line} uses {name}. The lab is about writing it: take it out."
        return [Check("written-yourself", title, False, "not used", f"line {line}", "", hint)]

    def _crashed_on_import(self, error: Crashed) -> Verdict:
        outcome = Outcome.OUT_OF_MEMORY if error.crash.kind == "out_of_memory" else Outcome.CRASHED
        message = f"Importing your module raised an error before any case was played. {error.crash.error}"
        return self._stopped(outcome, message, error.crash.traceback)

    def _stopped(self, outcome: Outcome, message: str, traceback: str = "") -> Verdict:
        """Return a verdict for a submission that did not come to its end; complete cases are still judged."""
        complete = [run for run in self.runs if run.observed or run.crash]
        found = tuple(self.lab_judge.check(complete)) if complete else ()
        return self._verdict(outcome, checks=found, message=message, traceback=traceback)

    def _verdict(self, outcome: Outcome, **fields: Any) -> Verdict:
        primary = next((run for run in self.runs if run.case["family"] == self.lab_judge.PRIMARY), None)
        fields.setdefault("measurements", Measurements())
        if primary is not None and primary.metered is not None:
            fields |= _figures(primary, self.seconds)
        return Verdict(self.lab.slug, outcome, device=self.device, **fields)

    def _too_slow(self) -> str:
        name = self.runs[-1].case["name"] if self.runs else "the import of your module"
        return (
            f"Stopped after {self.lab.time_limit_s:g} seconds, during {name}. "
            "A right solution needs a few seconds: look for a loop that does not end."
        )

    def _ended(self, error: boxes.Ended) -> str:
        name = f"case {self.runs[-1].case['name']}" if self.runs else "the import of your module"
        return f"Your code ended its own process during {name} ({error}). Return from the function instead."

    def _disagreement(self) -> str:
        run = next(run for run in self.runs if run.figures_disagree())
        assert run.metered is not None and run.kernel_peak_bytes is not None
        return (
            f"The process grew by {run.kernel_peak_bytes:,} bytes while torch's allocator reports a peak of "
            f"{run.metered.peak_bytes:,}. Memory kept where torch does not see it (numpy, mmap, another allocator) "
            "counts too: keep it in tensors, or do not keep it."
        )

    def _unseen_work(self) -> str:
        run = next(run for run in self.runs if run.works_unseen())
        assert run.metered is not None and run.outside is not None
        return (
            f"The process used {run.outside.cpu_seconds:.1f} seconds of processor time, far beyond what its "
            f"{run.metered.flops:,} FLOPs explain. Work done where the meter does not see it counts too: do it in "
            "torch operators, in the calling thread."
        )

    def _notes(self, box: boxes.Sandbox) -> tuple[str, ...]:
        notes = [] if box.mode == "bwrap" else ["Graded without a sandbox: only run code that you trust."]
        for run in filter(CaseRun.works_more_than_said, self.runs):
            seconds, explained = run.outside.cpu_seconds, run.explained_seconds()  # type: ignore[union-attr]
            notes.append(
                f"{run.case['name']} used {seconds:.1f} s of processor time; the FLOPs it reports explain "
                f"{explained:.1f} s at the judge's speed. A busy machine and unseen work look the same here."
            )
        if box.dropped_bytes:
            notes.append(f"The output was cut: {box.dropped_bytes:,} more bytes were printed and not kept.")
        return tuple(notes)


def _figures(run: CaseRun, seconds: StepSeconds | None) -> dict[str, Any]:
    """Return the measurements, timelines and peak of the lab's primary case."""
    assert run.metered is not None and run.plain is not None and run.reference is not None
    measured = Measurements(
        saved_bytes=run.metered.saved_bytes,
        peak_bytes=run.metered.peak_bytes,
        plain_peak_bytes=run.plain.peak_bytes,
        plain_saved_bytes=run.plain.saved_bytes,
        replay_bytes=run.metered.replay_bytes,
        step_flops=run.metered.flops,
        plain_flops=run.plain.flops,
        recomputed_flops=run.metered.flops - run.plain.flops,
        step_seconds=seconds,
        kernel_peak_bytes=run.kernel_peak_bytes,
    )
    timeline = {"yours": run.metered.timeline, "plain": run.plain.timeline, "reference": run.reference.timeline}
    return {"measurements": measured, "timeline": timeline, "peak": run.metered.peak}
