"""The checks that labs share: what they expect, what they say they saw, and the cause that they name."""

from __future__ import annotations

import pytest
import torch

from grader import checks, lab_code, reference
from grader.catalog import get
from grader.meter import Metered
from grader.runs import CaseRun, Crash

TITLES, CAUSES = {"dropout": "Same dropout"}, {"dropout": "The random state was not restored."}


def metered(saved: int, peak: int, flops: int) -> Metered:
    return Metered(saved, peak, 0, flops, {"forward": 100}, 0, {}, {}, 0, 1, 1, "cpu")


def results(expected, observed, crash=None, tolerance=None):
    run = CaseRun({"family": "dropout"}, {"y": expected}, {"y": observed}, crash)
    return checks.same_results(run, TITLES, CAUSES, tolerance)


def test_equal_results_pass_with_their_largest_error():
    check = results(torch.ones(4), torch.ones(4) * (1 + 1e-6))
    assert (check.name, check.title, check.passed, check.hint) == ("dropout", "Same dropout", True, "")
    assert check.expected == 1e-5 and 0 < check.actual < 1e-5


def test_a_result_that_is_off_says_by_how_much_and_names_the_cause():
    check = results(torch.ones(4), torch.ones(4) * 1.5)
    assert (check.passed, check.actual) == (False, 0.5)
    assert check.hint == "y differs by 0.5 of its largest element. The random state was not restored."


@pytest.mark.parametrize(
    ("observed", "sort"), [(None, "missing"), (torch.ones(3), "shape"), ("<list>", "not a tensor")]
)
def test_a_result_of_another_sort_names_the_sort_where_there_is_no_error(observed, sort):
    assert results(torch.ones(4), observed).actual == sort


def test_a_tolerance_of_the_labs_own_is_what_the_check_says():
    assert results(torch.ones(4), torch.ones(4) * 1.01, tolerance={torch.float32: 0.1}).expected == 0.1


@pytest.mark.parametrize(("line", "where"), [(7, " (line 7)"), (None, "")])
def test_a_case_that_crashed_fails_with_the_learners_error(line, where):
    check = results(torch.ones(4), None, Crash("KeyError: 'x'", line, ""))
    assert (check.passed, check.expected, check.actual) == (False, "runs", "error")
    assert check.hint == f"KeyError: 'x'{where}. The random state was not restored."


@pytest.mark.parametrize(("peak", "passed"), [(600, True), (601, False)])
def test_bytes_may_lie_a_share_of_the_gap_above_the_reference(peak, passed):
    run = CaseRun({}, plain=metered(0, 1_000, 300), reference=metered(0, 200, 400), metered=metered(0, peak, 300))
    check = checks.bytes_near_reference(run, "peak_bytes", "peak", "Peak", 0.5, "Keep less.")
    assert (check.passed, check.expected, check.actual) == (passed, 600, peak)
    assert check.hint == ("" if passed else "Keep less.")


@pytest.mark.parametrize(("flops", "passed", "forwards"), [(400, True, 1.0), (410, False, 1.1), (300, True, 0.0)])
def test_repeated_work_is_counted_in_forwards_of_the_plain_run(flops, passed, forwards):
    run = CaseRun({}, plain=metered(0, 0, 300), metered=metered(0, 0, flops))
    check = checks.recomputed_at_most(run, 1, "work", "Work", "Replay once.")
    assert (check.passed, check.actual) == (passed, forwards)


def test_what_is_right_comes_from_the_labs_own_formula_where_it_has_one():
    lab = get("time-to-train")
    case = lab_code.harness(lab).PUBLIC_CASES[0]
    right, plain = reference.expected(lab, case)
    assert right.keys() == lab_code.judge(lab).expected(case).keys() and plain is None
    assert all(value.dtype == torch.float64 for value in right.values() if isinstance(value, torch.Tensor))
    assert reference.cpu_seconds(lab, case) is None, "nothing was metered"
