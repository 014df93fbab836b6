"""Where the meter cannot be believed it says so instead of giving figures, and it asks a GPU to finish first."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch

from grader import meter
from grader.meter import events, measuring, peaks, warming
from grader.meter.blocks import Block
from grader.meter.tracing import address_of
from grader.program import Program, build

STEP = Program([("forward", lambda: torch.ones(4) * 2)], dict)


@pytest.fixture(autouse=True, scope="module")
def warmed() -> None:
    meter.warm()


def test_a_profile_without_the_marks_of_the_run_is_no_figure():
    with pytest.raises(RuntimeError, match="is another profiler running"):
        events.read([], "cpu")


def test_a_profiler_that_was_taken_away_is_said(monkeypatch):
    monkeypatch.setattr(measuring, "profile", lambda **_: nullcontext(SimpleNamespace(kineto_results=None)))
    with pytest.raises(RuntimeError, match="taken away"):
        meter.run(STEP)


def test_a_profiler_that_saw_fewer_phases_than_ran_is_said(monkeypatch):
    monkeypatch.setattr(measuring.events, "read", lambda tree, device: events.Trace([], 0, [], 0))
    with pytest.raises(RuntimeError, match="1 phases ran and the profiler saw 0"):
        meter.run(STEP)


def test_the_end_is_said_once_after_the_last_phase_and_not_for_one_that_raises():
    order: list[str] = []
    phases = [(name, lambda name=name: order.append(name)) for name in ("forward", "backward")]
    meter.run(Program(phases, dict), ended=lambda: order.append("ended"))
    assert order == ["forward", "backward", "ended"]
    with pytest.raises(ZeroDivisionError):
        meter.run(Program([("forward", lambda: 1 // 0)], dict), ended=lambda: order.append("ended"))
    assert order.count("ended") == 1


def test_a_gpu_has_nothing_left_to_do_when_a_phase_is_over(monkeypatch):
    waited: list[int] = []
    monkeypatch.setattr(torch.cuda, "synchronize", lambda: waited.append(1))
    measuring._finish("cpu")
    assert not waited
    measuring._finish("cuda")
    assert waited == [1]


def test_a_torch_without_its_library_or_without_the_flag_is_not_metered(monkeypatch, tmp_path):
    monkeypatch.setattr(warming.torch, "__file__", str(tmp_path / "torch" / "__init__.py"))
    with pytest.raises(RuntimeError, match="libc10 is not beside"):
        warming._report_cpu_memory()
    (tmp_path / "torch" / "lib").mkdir(parents=True)
    maps = Path("/proc/self/maps").read_text().splitlines()
    another = next(line.split()[-1] for line in maps if "libc.so" in line)
    (tmp_path / "torch" / "lib" / "libc10.so").symlink_to(another)
    with pytest.raises(RuntimeError, match=r"libc10\.so has no FLAGS_.* the meter was written for torch 2\.13"):
        warming._report_cpu_memory()


def test_a_tensor_without_memory_of_its_own_has_no_address():
    assert address_of(torch.ones(2)) > 0
    assert address_of(torch.ones(2, 2).to_sparse()) == 0
    assert address_of(torch.empty(2, device="meta")) == 0


def test_what_was_freed_is_not_listed_at_the_peak():
    freed, live = Block(-64, 1, 0, -1, kind="parameter"), Block(32, 2, 0, -1, kind="input")
    assert [line["bytes"] for line in peaks.group([freed, live], [])] == [32]


def test_a_case_is_built_on_the_device_that_it_names():
    harness = SimpleNamespace(prepare=lambda case, entry: (torch.ones(2).device.type, entry))
    assert build(harness, {}, {"f": 1}) == ("cpu", {"f": 1})
    assert build(harness, {"device": "meta"}, {"f": 1}) == ("meta", {"f": 1})
