"""The judge of `compressed-activations` tells exact observations from gradients that may be rounded."""

import torch

from grader import catalog, lab_code
from grader.runs import CaseRun, Crash

JUDGE = lab_code.judge(catalog.get("compressed-activations"))
GRADIENT = torch.tensor([1.0, -2.0, 4.0])


def judged(expected, observed, family="model"):
    (check,) = JUDGE.check([CaseRun({"name": family, "family": family}, expected, observed)])
    return check


def test_a_gradient_may_be_off_by_three_percent_of_its_largest_element():
    assert judged({"x.grad": GRADIENT}, {"x.grad": GRADIENT + 0.11}).passed
    assert not judged({"x.grad": GRADIENT}, {"x.grad": GRADIENT + 0.13}).passed


def test_an_exact_observation_may_not_be_rounded():
    seen = judged({"exact: a scalar": torch.tensor(1 / 3)}, {"exact: a scalar": torch.tensor(1 / 3).bfloat16().float()})
    assert not seen.passed
    assert seen.hint.startswith("a scalar differs")


def test_float64_is_compared_to_the_bit():
    third = torch.tensor(1 / 3, dtype=torch.float64)
    assert not judged({"exact: float64": third}, {"exact: float64": third.float().double()}).passed


def test_strides_are_compared_as_text():
    name = "exact: shape, strides and dtype of a matrix"
    assert not judged({name: "[2, 3] (1, 2)"}, {name: "[2, 3] (3, 1)"}, "views").passed


def test_nan_fails_and_is_named():
    seen = judged({"x.grad": GRADIENT}, {"x.grad": GRADIENT * float("nan")}, "scales")
    assert not seen.passed
    assert seen.actual == "nan"


def test_a_missing_gradient_fails():
    assert not judged({"x.grad": GRADIENT}, {"x.grad": None}).passed


def test_a_crash_fails_its_family():
    run = CaseRun({"name": "uses", "family": "uses"}, crash=Crash("IndexError: pop", 3, ""))
    (check,) = JUDGE.check([run])
    assert (check.name, check.passed) == ("uses", False)
