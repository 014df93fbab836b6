"""What the peers are asked: the lab's own cases, right and wrong told apart in each form, without the peers."""

import json
import random

import pytest

from bench.peers import formats, limit
from bench.peers.running import EXERCISE, SLUG, otter_points
from grader import catalog, lab_code

LAB = catalog.load(EXERCISE / SLUG)
CASES = list(lab_code.harness(LAB).CASES)
SOLUTIONS = {path.stem: path.read_text() for kind in ("right", "wrong") for path in (LAB.folder / kind).glob("*.py")}


def asked(*texts):
    made = {}
    for text in texts:
        exec(text, made)  # our own files
    return made


def failing(solution):
    made = asked(formats.asked(LAB), SOLUTIONS[solution])

    def fails(seed, name):
        try:
            made["check"](made["rms_norm"], name, seed)
        except (AssertionError, TypeError):  # a gradient that is None cannot be subtracted from
            return True
        return False

    return [name for seed, name in enumerate(CASES) if fails(seed, name)]


def test_the_peers_check_tells_right_from_wrong():
    assert failing("mean_of_squares") == []
    assert failing("eps_outside") == ["zeros"]
    assert failing("centred") == CASES
    assert failing("no_weight") == CASES


def test_the_limit_judges_what_it_plays():
    limit.play(LAB, SOLUTIONS["mean_of_squares"], "submit", random.Random(0))
    with pytest.raises(RuntimeError, match="zeros"):
        limit.play(LAB, SOLUTIONS["eps_outside"], "submit", random.Random(0))


def test_each_case_gives_one_point_in_each_form(tmp_path):
    source = SOLUTIONS["mean_of_squares"]
    for name in ("pytest", "otter", "nbgrader"):
        (tmp_path / name).mkdir()
        getattr(formats, f"for_{name}")(LAB, tmp_path / name, source)
    assert asked((tmp_path / "pytest" / "submission.py").read_text())["rms_norm"]
    otter = (tmp_path / "otter" / "tests" / "rms_norm.py").read_text()
    assert all(f"check(rms_norm, {case!r}, {seed})" in otter for seed, case in enumerate(CASES))
    answers = {}
    for place in ("source", "submitted/someone"):
        cells = json.loads((tmp_path / "nbgrader" / place / "rms" / "rms.ipynb").read_text())["cells"]
        graded = [cell for cell in cells if cell["metadata"]["nbgrader"]["grade"]]
        assert [cell["metadata"]["nbgrader"]["points"] for cell in graded] == [1] * len(CASES)
        answers[place] = cells[0]["source"]
    assert answers == {"source": LAB.starter, "submitted/someone": source}


def test_points_of_otter_leave_out_what_gives_none():
    tests = [{"status": "passed"}, {"score": 2, "max_score": 4}, {"score": 1, "max_score": 2}]
    assert otter_points({"tests": tests}) == 0.5
