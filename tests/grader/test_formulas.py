"""Labs whose answer is a number: errors are relative, mistakes are named, and no verdict carries the answer."""

import math

import pytest
import torch

from grader import catalog, formulas, lab_code
from grader.runs import CaseRun, Crash

WANTED = {"answer 1": 200.0, "answer 2": 50.0}


def judged(observed, tolerance=0.01, mistakes=None):
    run = CaseRun({"family": "f"}, expected=WANTED, observed=observed)
    return formulas.within(run, "Title", tolerance, "The cause.", mistakes)


def test_answers_inside_the_tolerance_pass_and_one_outside_fails():
    assert judged({"answer 1": 201.9, "answer 2": 49.6}).passed
    check = judged({"answer 1": 200.0, "answer 2": 51.0})
    assert (check.passed, check.expected, check.actual, check.hint) == (False, "within 1 %", "+2 %", "The cause.")


def test_a_tolerance_of_nothing_asks_for_the_very_number():
    assert judged(WANTED, tolerance=0.0).expected == "exact"
    assert not judged(WANTED | {"answer 2": 50.0000001}, tolerance=0.0).passed


@pytest.mark.parametrize(
    "value", [None, True, "200", math.nan, math.inf, torch.tensor(math.nan), torch.ones(2), "<list>"]
)
def test_what_is_not_one_finite_number_fails(value):
    check = judged(WANTED | {"answer 1": value})
    assert not check.passed
    assert check.actual == "not a number"
    assert "answer 1" in check.hint


def test_where_nothing_is_right_anything_else_is_infinitely_wrong():
    assert [formulas.error(got, 0) for got in (0, 0.5, -1)] == [0.0, math.inf, -math.inf]


def test_a_known_mistake_is_named_where_just_its_answers_were_given():
    mistakes = {"Twice.": {"answer 1": 400.0, "answer 2": 100.0}, "Half of one.": {"answer 2": 25.0}}
    assert judged({"answer 1": 400.0, "answer 2": 100.0}, mistakes=mistakes).hint == "Twice."
    assert judged({"answer 1": 200.0, "answer 2": 25.0}, mistakes=mistakes).hint == "Half of one."
    assert judged({"answer 1": 400.0, "answer 2": 25.0}, mistakes=mistakes).hint == "The cause."


def test_a_crash_fails_with_the_learners_error_and_line():
    run = CaseRun({"family": "f"}, expected=WANTED, crash=Crash("KeyError: 'ff'", 7, ""))
    assert formulas.within(run, "Title", 0.01, "The cause.").hint == "KeyError: 'ff' (line 7). The cause."


def small(lab):
    """Return the lab's judge and the public configurations that it can build."""
    lab = catalog.load(catalog.DEFAULT_ROOT / lab)
    return lab_code.judge(lab), lab_code.harness(lab).PUBLIC_CASES


def test_the_flops_by_which_mistakes_are_named_are_those_that_are_counted():
    judge, cases = small("mfu-meter")
    for case in cases[:6]:
        config = case["questions"][0]["config"]
        for again in ("none", "attention", "full"):
            assert judge.work(config, again) == judge.counted(config, again)


def test_the_bytes_by_which_mistakes_are_named_are_those_that_are_metered():
    judge, cases = small("activation-bytes")
    for case in cases:
        config = case["configs"][0]
        assert judge.kept(config) == pytest.approx(judge.metered(config), rel=judge.TOLERANCE)


def test_one_node_fewer_than_the_right_answer_is_late():
    judge, cases = small("time-to-train")
    question = next(case for case in cases if case["family"] == "deadline")["questions"][0]
    right = judge.expected({"questions": [question]})["devices_for_deadline 1"]
    assert judge.days(question["job"], int(right)) <= question["argument"] < judge.days(question["job"], int(right) - 8)
