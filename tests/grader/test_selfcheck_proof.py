"""Switching any check of any lab off makes the self-check complain: proved from what each solution's file records.

`test_selfcheck` holds every file to its record by grading it, so the record is what the judge says today. Here a
judge without one check is played over the record: what it would say is the recorded failing checks less that one.
"""

import random

import pytest

from grader import catalog, lab_code, reference
from grader.runs import CaseRun
from grader.selfcheck import Expectation, expectations
from grader.verdict import Check, Outcome, Verdict

LABS = catalog.all_labs()


def names_of_checks(lab) -> set[str]:
    """Every check that the lab's judge makes of its own best solution's public cases, computed in this process."""
    lab_judge, harness = lab_code.judge(lab), lab_code.harness(lab)
    runs = []
    for case in lab_judge.cases(random.Random(1), harness, "run"):
        expected, plain = reference.expected(lab, case)
        run = CaseRun(case, expected, expected, plain=plain)
        if case.get("measure"):
            run.metered = run.reference = reference.best(lab, case)
        runs.append(run)
    form = {"written-yourself"} if lab.forbidden_imports else set()
    return {check.name for check in lab_judge.check(runs)} | form


def verdict_without(name: str, expectation: Expectation) -> Verdict:
    """What a judge with this check switched off would say of a solution whose file records its failing checks."""
    assert expectation.failing is not None
    left = expectation.failing - {name}
    outcome = Outcome.PASSED if expectation.outcome is Outcome.FAILED and not left else expectation.outcome
    checks = tuple(Check(check, check, False, None, None) for check in sorted(left))
    return Verdict(expectation.lab.slug, outcome, checks=checks)


@pytest.fixture(scope="module", autouse=True)
def one_thread_and_a_warm_meter():
    reference.prepare()


@pytest.mark.parametrize("lab", LABS, ids=lambda lab: lab.slug)
def test_switching_any_check_off_makes_a_solution_of_the_lab_complain(lab):
    recorded = [expectation for expectation in expectations(lab) if expectation.failing]
    for name in names_of_checks(lab):
        complaints = [expectation.complaint(verdict_without(name, expectation)) for expectation in recorded]
        assert any(complaints), f"no wrong solution of {lab.slug} would notice that {name} is never judged"


@pytest.mark.parametrize("lab", LABS, ids=lambda lab: lab.slug)
def test_a_wrong_solution_that_is_judged_to_its_end_records_its_failing_checks(lab):
    for expectation in expectations(lab):
        judged = expectation.outcome in (Outcome.FAILED, Outcome.CRASHED)
        assert not judged or expectation.failing is not None, expectation.path


@pytest.mark.parametrize("lab", LABS, ids=lambda lab: lab.slug)
def test_no_solution_records_a_check_that_the_lab_does_not_make(lab):
    made = names_of_checks(lab)
    for expectation in expectations(lab):
        assert (expectation.failing or frozenset()) <= made, expectation.path
