"""The script for a machine with a GPU: it runs every test marked `gpu`, and says so where there is no device."""

import subprocess
import sys

import pytest

from bench import gpu_check
from tests.e2e.stack import ROOT


def test_it_knows_every_file_with_a_test_that_needs_a_gpu():
    marked = {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "tests").rglob("test_*.py")
        if "mark.gpu" in path.read_text() and path.name != "test_gpu_check.py"
    }
    assert marked <= {path for path in gpu_check.PATHS if path.endswith(".py")}


def test_without_a_device_it_says_so_and_leaves_with_2():
    done = subprocess.run(
        [sys.executable, "-m", "bench.gpu_check"],
        cwd=ROOT, capture_output=True, text=True, timeout=120, env={"CUDA_VISIBLE_DEVICES": ""},
    )  # fmt: skip
    assert done.returncode == 2
    assert "No GPU check was run. There is no CUDA device" in done.stderr


def test_what_was_not_begun_counts_as_not_passed(monkeypatch, capsys, tmp_path):
    monkeypatch.setattr("sys.argv", ["gpu_check", "--seconds", "0"])
    monkeypatch.setattr("grader.devices.missing", lambda device: "")
    monkeypatch.setattr("torch.cuda.get_device_name", lambda: "a card")
    monkeypatch.setattr("bench.results.FOLDER", tmp_path)
    monkeypatch.setattr("pytest.main", lambda arguments, plugins: _collects_and_stops(plugins[0]))
    assert gpu_check.main() == 1
    assert "3 were not begun: the time was up" in capsys.readouterr().out


def _collects_and_stops(noting: gpu_check.Noting) -> int:
    noting.collected = 3
    return 0


@pytest.mark.parametrize(
    ("nodeid", "check"),
    [("tests/gpu/test_meter.py::test_bytes_repeat[plain]", "test_meter: bytes repeat[plain]")],
)
def test_checks_are_named_by_what_they_check(nodeid, check):
    assert gpu_check.short(nodeid) == check
