"""A sandbox that waited is taken once, and one that ended while it waited is not taken at all."""

import threading

import pytest

from grader import judge, pool
from grader.pool import Pool
from grader.sandbox import Sandbox, Unavailable
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
    by, kill = [], Sandbox.kill
    monkeypatch.setattr(Sandbox, "kill", lambda box: by.append((box, threading.current_thread())) or kill(box))
    with one.take() as box:
        pass
    assert box.process.wait(60)
    one.settle()
    (cleared,) = [thread for each, thread in by if each is box]
    assert cleared is not threading.current_thread()


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


# Without a sandbox: what the pool does with boxes that a test makes


class Box:
    alive = True

    def cancel(self) -> None:
        self.alive = False

    kill = cancel


@pytest.fixture
def boxes(monkeypatch):
    """Start boxes of this file; each is kept with how long it may live."""
    started: list[tuple[Box, float]] = []

    def start(mode, limits, device):
        started.append((Box(), limits.wall_seconds))
        return started[-1][0]

    monkeypatch.setattr(pool.subjects, "start", start)
    monkeypatch.setattr(pool, "_pools", {})
    monkeypatch.setattr(pool, "counts", pool.Counter())
    yield started
    pool.keep(0)


def test_one_that_waits_may_wait_long_and_one_that_is_started_when_wanted_has_its_limits(boxes):
    pool.keep(1)
    pool.fill("none", judge.LIMITS)
    assert pool.waiting() == 1
    with pool.take("none", judge.LIMITS) as taken:
        assert taken is boxes[0][0]
        assert pool.waiting() == 0
    pool.settle()
    assert not taken.alive and pool.waiting() == 1
    pool.keep(0)
    assert not boxes[1][0].alive
    with pool.take("none", judge.LIMITS) as fresh:
        assert fresh is boxes[2][0]
    assert [seconds for _, seconds in boxes] == [pool.IDLE_SECONDS, pool.IDLE_SECONDS, judge.LIMITS.wall_seconds]
    assert pool.counts == {"filled": 2, "ready": 1, "fresh": 1}


def test_one_that_ended_while_it_waited_is_not_counted(boxes):
    pool.keep(2)
    pool.fill("none", judge.LIMITS)
    boxes[0][0].kill()
    assert pool.waiting() == 1


def test_after_a_fork_the_parents_sandboxes_are_neither_taken_nor_ended(boxes, monkeypatch):
    pool.keep(1)
    pool.fill("none", judge.LIMITS)
    monkeypatch.setattr(pool.os, "getpid", lambda: 4711)
    assert pool.waiting() == 0
    with pool.take("none", judge.LIMITS) as taken:
        assert taken is boxes[1][0]
    pool.settle()
    assert boxes[0][0].alive
    assert pool.waiting() == 1


def test_what_cannot_be_started_ahead_is_said_and_what_is_wanted_now_is_refused(monkeypatch, boxes, caplog):
    def unavailable(*_):
        raise Unavailable("no namespaces here")

    monkeypatch.setattr(pool.subjects, "start", unavailable)
    pool.keep(2)
    pool.fill("none", judge.LIMITS)
    assert "No sandbox could be started ahead: no namespaces here" in caplog.text
    with pytest.raises(Unavailable, match="no namespaces here"), pool.take("none", judge.LIMITS):
        pytest.fail("a sandbox was given")
    assert pool.counts == {"refused": 2, "fresh": 1}
