"""python -m grader, as a learner's terminal runs it: no Django, no Redis, no database."""

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LAB = ROOT / "labs" / "catalog" / "checkpoint-function"


def grader(*arguments: str | Path, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "HOME": "/nonexistent"}
    environment |= {name: value for name, value in os.environ.items() if name.startswith("COVERAGE_")}
    command = [sys.executable, "-m", "grader", *map(str, arguments)]
    return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, timeout=180)


def test_grade_prints_the_verdict_as_json_and_leaves_with_0_when_passed(tmp_path):
    done = grader("grade", "checkpoint-function", LAB / "right" / "hooks_early_stop.py", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    verdict = json.loads(done.stdout)
    assert verdict["outcome"] == "passed"
    assert verdict["ran"] is True
    names = {"saved_bytes", "peak_bytes", "plain_peak_bytes", "replay_bytes", "step_flops", "plain_flops"}
    assert names | {"recomputed_flops", "step_seconds", "kernel_peak_bytes"} <= verdict["measurements"].keys()
    assert {"name", "passed", "expected", "actual", "unit", "hint"} <= verdict["checks"][0].keys()
    assert set(verdict["timeline"]) == {"yours", "plain", "reference"}
    assert verdict["peak"]["tensors"][0].keys() >= {"bytes", "dtype", "shape", "kind", "module", "operator"}


def test_grade_leaves_with_1_when_not_passed_and_says_why_in_text():
    done = grader("grade", "checkpoint-function", LAB / "wrong" / "plain.py", "--mode", "run")
    assert done.returncode == 1
    assert "✗ Bytes kept at the end of forward" in done.stdout


def test_wrong_usage_leaves_with_2_and_one_sentence():
    for arguments in (["grade", "no-such-lab", LAB / "starter.py"], ["grade", "checkpoint-function", "/no/such/file"]):
        done = grader(*arguments)
        assert done.returncode == 2
        assert len(done.stderr.strip().splitlines()) == 1


def test_list_names_the_labs_without_importing_torch():
    done = grader("list")
    assert done.returncode == 0
    assert "checkpoint-function" in done.stdout
