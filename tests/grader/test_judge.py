"""What the judge says of right, wrong, broken and hostile submissions. Every one of these is graded for real."""

import time
from dataclasses import replace

import pytest

from grader import catalog, judge
from grader.sandbox import Limits
from grader.verdict import Outcome

LAB = catalog.get("checkpoint-function")
PLAIN = "def checkpoint(function, *args, **kwargs):\n    return function(*args, **kwargs)\n"
RIGHT = (LAB.folder / "right" / "hooks_early_stop.py").read_bytes()


def run(source: str | bytes, **options):
    source = source.encode() if isinstance(source, str) else source
    return judge.grade("checkpoint-function", source, mode="run", **options)


def inside(statement: str) -> str:
    """A submission that does something before it computes."""
    return f"def checkpoint(function, *args, **kwargs):\n    {statement}\n    return function(*args, **kwargs)\n"


@pytest.fixture(scope="module", autouse=True)
def one_sandbox_waits():
    judge.pool.keep(1)
    yield
    judge.pool.keep(0)


@pytest.fixture
def quick_limit(monkeypatch):
    """A lab whose time is up after four seconds."""
    lab = replace(LAB, time_limit_s=4.0)
    monkeypatch.setattr(catalog, "get", lambda slug: lab)
    return lab


def test_bytes_and_flops_repeat_to_the_unit_over_two_gradings_of_the_same_file():
    first, second = (run(RIGHT).measurements for _ in range(2))
    assert first.saved_bytes is not None
    for figure in ("saved_bytes", "peak_bytes", "replay_bytes", "step_flops", "plain_peak_bytes", "plain_flops"):
        assert getattr(first, figure) == getattr(second, figure), figure


def test_the_kernel_agrees_with_the_allocator_within_the_tolerance_that_decides():
    measured = judge.grade("checkpoint-function", PLAIN.encode()).measurements
    assert measured.plain_peak_bytes == measured.peak_bytes
    assert measured.peak_bytes > 100_000_000
    assert abs(measured.kernel_peak_bytes - measured.peak_bytes) <= 0.01 * measured.peak_bytes + 5_000_000


def test_an_endless_loop_is_stopped_soon_after_the_limit(quick_limit):
    marks = []
    verdict = run(inside("while True: pass"), progress=lambda *step: marks.append(time.monotonic()))
    assert verdict.outcome is Outcome.TIMED_OUT
    assert "loop" in verdict.message
    assert time.monotonic() - marks[1] < quick_limit.time_limit_s + 20


def test_an_endless_loop_at_import_is_stopped_too(quick_limit):
    verdict = run("while True: pass\ncheckpoint = None\n")
    assert verdict.outcome is Outcome.TIMED_OUT
    assert "import" in verdict.message


def test_a_ten_gigabyte_allocation_is_out_of_memory():
    verdict = run("import torch\n" + inside("torch.ones(10 * 2**30, dtype=torch.uint8)"))
    assert verdict.outcome is Outcome.OUT_OF_MEMORY
    assert "4 GiB" in verdict.message


def test_a_fork_bomb_cannot_start():
    verdict = run("import os\n" + inside("\n    while True: os.fork()"))
    assert verdict.outcome is Outcome.CRASHED
    assert "PermissionError" in verdict.message


def test_a_hundred_megabytes_on_stdout_are_drained_cut_and_said():
    verdict = run("for _ in range(1000):\n    print('x' * 100_000)\n" + PLAIN)
    assert verdict.outcome is Outcome.FAILED
    assert len(verdict.output) <= Limits().output_bytes
    assert any("cut" in note for note in verdict.notes)


def test_leaving_the_process_is_killed_and_said():
    verdict = run("import os\n" + inside("os._exit(0)"))
    assert verdict.outcome is Outcome.KILLED
    assert "exit status 0" in verdict.message


def test_sys_exit_is_the_learners_error_not_the_end_of_the_judge():
    verdict = run("import sys\n" + inside("sys.exit(0)"))
    assert verdict.outcome is Outcome.CRASHED
    assert "SystemExit" in verdict.message


def test_the_network_cannot_be_reached():
    verdict = run("import socket\n" + inside("socket.create_connection(('127.0.0.1', 6379), timeout=1)"))
    assert verdict.outcome is Outcome.CRASHED
    assert "PermissionError" in verdict.message


def test_no_file_of_the_site_can_be_opened():
    verdict = run(inside(f"open({str(LAB.folder / 'judge.py')!r})"))
    assert verdict.outcome is Outcome.CRASHED
    assert "FileNotFoundError" in verdict.message


def test_an_error_shows_the_learners_frames_only():
    verdict = run("def helper(x):\n    return x.nowhere\n" + inside("helper(1)"))
    assert verdict.outcome is Outcome.CRASHED
    assert "line 2, in helper" in verdict.traceback
    assert "x.nowhere" in verdict.traceback
    assert "subject.py" not in verdict.traceback
    assert "harness.py" not in verdict.traceback


def test_a_forged_second_result_is_refused():
    forge = """
import os, struct
def checkpoint(function, *args, **kwargs):
    head = b'{"body": {"ran": true}, "tensors": []}'
    message = struct.pack("<I", len(head)) + head
    for fd in range(3, 64):
        try:
            os.write(fd, struct.pack("<4sI", b"hdrm", len(message)) + message)
        except OSError:
            pass
    return function(*args, **kwargs)
"""
    assert run(forge).outcome is Outcome.REFUSED


def test_after_a_hostile_submission_the_next_one_is_served_as_if_nothing_had_happened():
    assert run("import ctypes\n" + inside("ctypes.string_at(0)")).outcome is Outcome.KILLED
    assert run(RIGHT).outcome is Outcome.PASSED


def test_a_fault_of_ours_is_ungradable_and_says_nothing_of_our_insides(monkeypatch):
    monkeypatch.setattr(judge.pool, "take", lambda *_: 1 / 0)
    verdict = run(RIGHT)
    assert verdict.outcome is Outcome.UNGRADABLE
    assert verdict.score == 0
    assert "ZeroDivision" not in verdict.message


def test_cancelling_stops_a_submission_that_would_run_on():
    asked = []
    with pytest.raises(judge.Cancelled):
        run(inside("while True: pass"), progress=lambda *step: asked.append(step), cancelled=lambda: len(asked) > 1)


def test_the_seed_is_fresh_each_time_and_can_be_given():
    lab_judge, harness = judge.lab_code.judge(LAB), judge.lab_code.harness(LAB)
    draws = [lab_judge.cases(judge.random.Random(seed), harness, "submit") for seed in (1, 1, 2)]
    assert draws[0] == draws[1] != draws[2]


def test_an_unknown_lab_device_or_mode_is_the_callers_mistake():
    with pytest.raises(KeyError, match="there are"):
        judge.grade("no-such-lab", b"x = 1")
    with pytest.raises(ValueError, match="runs on"):
        judge.grade("checkpoint-function", b"x = 1", device="tpu")
    with pytest.raises(ValueError, match="mode"):
        judge.grade("checkpoint-function", b"x = 1", mode="try")
