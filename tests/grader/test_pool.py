"""A sandbox that waited is taken once, and one that ended while it waited is not taken at all."""

import threading

import pytest

from grader import judge, pool
from grader.pool import Pool
from grader.sandbox import Sandbox
from grader.session import Session
from grader.verdict import Outcome


@pytest.fixture
def one():
    made = Pool("bwrap", judge.LIMITS, 1)
    yield made
    made.close()


def test_each_sandbox_is_taken_once_and_the_next_one_waits_behind_it(one):
    one.fill()
    with one.take() as first:
        assert one.waiting() == 0
        Session(first).wait_ready(60)
    one.settle()
    assert not first.alive
    assert one.waiting() == 1
    with one.take() as second:
        assert second is not first
        Session(second).wait_ready(60)


def test_whoever_keeps_sandboxes_does_not_wait_for_one_to_be_gone(one, monkeypatch):
    gone, kill = threading.Event(), Sandbox.kill
    monkeypatch.setattr(Sandbox, "kill", lambda box: gone.wait(60) and kill(box))
    with one.take() as box:
        pass
    assert box.process.wait(60)  # it is killed at once, and cleared up behind
    gone.set()
    one.settle()


def test_whoever_keeps_none_sees_it_gone():
    with Pool("bwrap", judge.LIMITS).take() as box:
        pass
    assert not box.alive


def test_one_that_ended_while_it_waited_is_replaced(one):
    one.fill()
    dead = one._waiting[0]
    dead.kill()
    with one.take() as box:
        assert box is not dead
        assert box.alive


@pytest.mark.parametrize(
    ("source", "began"),
    [
        (b"def checkpoint(function, *args, **kwargs):\n    return function(*args, **kwargs)\n", ["arm", "fill"]),
        (b"checkpoint = None\n", []),
    ],
)
def test_the_next_one_starts_in_a_long_case_or_when_the_grading_is_over(source, began, monkeypatch):
    """A verdict of a few milliseconds does not share the cores with the import of torch."""
    seen = []
    arm, fill = judge.Session.arm, pool.fill
    monkeypatch.setattr(judge.Session, "arm", lambda *args: seen.append("arm") or arm(*args))
    monkeypatch.setattr(pool, "fill", lambda *args: seen.append("fill") or fill(*args))
    pool.keep(1)
    try:
        judge.grade("checkpoint-function", source, mode="run")
        assert seen[: len(began)] == began
        pool.settle()
        assert pool.waiting() == 1
    finally:
        pool.keep(0)


def test_closing_leaves_no_process(one):
    one.fill()
    process = one._waiting[0]
    one.close()
    assert not process.alive


def test_a_verdict_from_a_waiting_sandbox_is_the_same_as_from_a_cold_one():
    source = b"def checkpoint(function, *args, **kwargs):\n    return function(*args, **kwargs)\n"
    pool.keep(0)
    cold = judge.grade("checkpoint-function", source, mode="run")
    pool.keep(1)
    pool.fill("auto", judge.LIMITS)
    warm = judge.grade("checkpoint-function", source, mode="run")
    pool.keep(0)
    assert cold.outcome is warm.outcome is Outcome.FAILED
    assert cold.measurements.peak_bytes == warm.measurements.peak_bytes
    assert cold.measurements.step_flops == warm.measurements.step_flops


def test_a_grader_that_was_changed_under_a_running_worker_is_our_fault(monkeypatch):
    monkeypatch.setattr(pool.subjects, "_LOADED", "another digest")
    verdict = judge.grade("checkpoint-function", b"checkpoint = None\n", mode="run")
    assert verdict.outcome is Outcome.UNGRADABLE
