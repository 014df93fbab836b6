"""The exercise `rms-norm` in the forms that pytest, otter-grader and nbgrader take, made from the lab's own harness.

What is asked stays in one place: the cases, the plain function and what is compared are taken from `harness.py` as
source text. The peers draw no fresh seeds and have no reference process; they compare in the learner's own.
"""

from __future__ import annotations

import inspect
import json
from pathlib import Path
from typing import Any

from grader import lab_code
from grader.catalog import Lab

KERNEL = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
CHECK = """
def check(function, name, seed):
    shape, scale = CASES[name]
    found = results(function, shape, scale, seed)
    for what, right in results(plain, shape, scale, seed).items():
        assert (found[what] - right).abs().max() <= 1e-5 * right.abs().max(), what
"""
PYTEST = """
import pytest

from submission import rms_norm


@pytest.mark.parametrize("seed, name", enumerate(CASES))
def test_case(seed, name):
    check(rms_norm, name, seed)
"""
OTTER_HEAD = """
from otter.test_files import test_case

OK_FORMAT = False
name = "rms_norm"
points = {points}
"""
OTTER_CASE = """

@test_case(points=1, hidden=True)
def test_{seed}(rms_norm):
    check(rms_norm, {name!r}, {seed})
"""


def asked(lab: Lab) -> str:
    """Return the exercise as a Python text that defines CASES, plain, results and check."""
    harness = lab_code.harness(lab)
    parts = [f"CASES = {harness.CASES!r}\n", inspect.getsource(harness.plain), inspect.getsource(harness.results)]
    return "\n\n".join(["import torch\n", *parts]) + "\n" + CHECK


def for_pytest(lab: Lab, folder: Path, source: str) -> None:
    """Write `submission.py` and `test_rms_norm.py`."""
    (folder / "submission.py").write_text(source)
    (folder / "test_rms_norm.py").write_text(asked(lab) + PYTEST)


def for_otter(lab: Lab, folder: Path, source: str) -> None:
    """Write `submission.ipynb` and `tests/rms_norm.py`, of which `otter generate` makes an autograder."""
    names = lab_code.harness(lab).CASES
    cases = [OTTER_CASE.format(seed=seed, name=name) for seed, name in enumerate(names)]
    (folder / "tests").mkdir()
    (folder / "tests" / "rms_norm.py").write_text(asked(lab) + OTTER_HEAD.format(points=len(names)) + "".join(cases))
    (folder / "submission.ipynb").write_text(notebook([cell("answer", source)]))


def for_nbgrader(lab: Lab, folder: Path, source: str) -> None:
    """Write a course: `source/rms/rms.ipynb` as the teacher made it, `submitted/someone/rms/rms.ipynb` with an answer.

    A cell says in its metadata whether it is the answer, is locked, and gives points.
    """
    tests = [
        cell(f"case-{seed}", f"check(rms_norm, {name!r}, {seed})", grade=True, locked=True, points=1)
        for seed, name in enumerate(lab_code.harness(lab).CASES)
    ]
    for place, answer in (("source", lab.starter), ("submitted/someone", source)):
        path = folder / place / "rms" / "rms.ipynb"
        path.parent.mkdir(parents=True)
        answered = cell("answer", answer, solution=True)
        path.write_text(notebook([answered, cell("asked", asked(lab), locked=True), *tests]))
    (folder / "nbgrader_config.py").write_text("c = get_config()\nc.CourseDirectory.course_id = 'bench'\n")


def cell(name: str, source: str, points: int | None = None, **told: bool) -> dict[str, Any]:
    """Return one code cell with nbgrader's metadata (schema 3), which otter ignores."""
    usual = {"solution": False, "grade": False, "locked": False, "task": False}
    metadata = {
        "schema_version": 3,
        "grade_id": name,
        **usual,
        **told,
        **({} if points is None else {"points": points}),
    }
    return {
        "cell_type": "code",
        "id": name,
        "execution_count": None,
        "outputs": [],
        "source": source,
        "metadata": {"nbgrader": metadata},
    }


def notebook(cells: list[dict[str, Any]]) -> str:
    return json.dumps({"cells": cells, "metadata": KERNEL, "nbformat": 4, "nbformat_minor": 5})
