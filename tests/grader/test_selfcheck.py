"""Every lab's right and wrong solutions get the verdict that their file says, and the self-check can fail."""

import pytest

from grader import catalog, judge, lab_code
from grader.selfcheck import expectations

EXPECTATIONS = [expectation for lab in catalog.all_labs() for expectation in expectations(lab)]


@pytest.fixture(scope="module", autouse=True)
def one_sandbox_waits():
    judge.pool.keep(1)
    yield
    judge.pool.keep(0)


@pytest.mark.parametrize("expectation", EXPECTATIONS, ids=lambda expectation: expectation.name)
def test_solution_gets_the_verdict_it_must_get(expectation):
    verdict = judge.grade(expectation.lab.slug, expectation.path.read_bytes())
    assert expectation.complaint(verdict) == ""
    assert not any(check.hint == "" for check in verdict.checks if not check.passed), "a failed check without a hint"


@pytest.mark.parametrize("lab", catalog.all_labs(), ids=lambda lab: lab.slug)
def test_each_lab_has_three_right_and_six_wrong_solutions_and_a_starter_that_fails_honestly(lab):
    outcomes = [expectation.outcome for expectation in expectations(lab)]
    assert outcomes.count("passed") >= 3
    assert len(outcomes) - outcomes.count("passed") >= 6
    verdict = judge.grade(lab.slug, lab.starter.encode(), mode="run")
    assert verdict.outcome == "failed"


def test_a_check_that_was_switched_off_makes_the_selfcheck_fail(monkeypatch):
    lab = catalog.get("checkpoint-function")
    wrong = next(e for e in expectations(lab) if e.path.stem == "replay_for_each_tensor")
    module = lab_code.judge(lab)
    honest = module.check
    monkeypatch.setattr(module, "check", lambda runs: [c for c in honest(runs) if c.name != "recomputed-work"])
    complaint = wrong.complaint(judge.grade(lab.slug, wrong.path.read_bytes()))
    assert "outcome passed instead of failed" in complaint
