"""Every lab that runs on a GPU, on one: a right solution passes, and the plain run fails what it must fail."""

import pytest

from grader import catalog, judge
from grader.selfcheck import Expectation, expectations

LABS = [lab for lab in catalog.all_labs() if "cuda" in lab.devices]


def one(lab: catalog.Lab, folder: str, stem: str = "") -> Expectation:
    return next(e for e in expectations(lab) if e.path.parent.name == folder and stem in ("", e.path.stem))


CHOSEN = [e for lab in LABS for e in (one(lab, "right"), one(lab, "wrong", "plain"))]


@pytest.mark.parametrize("solution", CHOSEN, ids=lambda solution: solution.name)
def test_solution_gets_the_verdict_it_must_get(solution):
    verdict = judge.grade(solution.lab.slug, solution.path.read_bytes(), device="cuda")
    assert solution.complaint(verdict) == ""
    assert verdict.device == "cuda"
    assert verdict.measurements.kernel_peak_bytes is None, "the kernel sees the host's memory, not the device's"
