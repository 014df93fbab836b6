"""Switching any check of any lab off makes the self-check complain: proved from what each solution's file records.

`test_selfcheck` holds every file to its record by grading it, so the record is what the judge says today; and a right
solution complains where its verdict shows a check that no wrong one must fail. So the checks proved here are all there
are. A judge without one check is played over the record: it would say the recorded failing checks less that one.
"""

import pytest

from grader import catalog
from grader.selfcheck import Expectation, expectations, proved
from grader.verdict import Check, Outcome, Verdict

LABS = catalog.all_labs()
CHECKS = [(lab, name) for lab in LABS for name in sorted(proved(lab))]


def verdict_without(name: str, expectation: Expectation) -> Verdict:
    """What a judge with this check switched off would say of a solution whose file records its failing checks."""
    assert expectation.failing is not None
    left = expectation.failing - {name}
    outcome = Outcome.PASSED if expectation.outcome is Outcome.FAILED and not left else expectation.outcome
    checks = tuple(Check(check, check, False) for check in sorted(left))
    return Verdict(expectation.lab.slug, outcome, checks=checks)


@pytest.mark.parametrize(("lab", "name"), CHECKS, ids=lambda part: part if isinstance(part, str) else part.slug)
def test_switching_a_check_off_makes_a_solution_of_the_lab_complain(lab, name):
    recorded = [expectation for expectation in expectations(lab) if name in (expectation.failing or ())]
    assert recorded
    assert all(expectation.complaint(verdict_without(name, expectation)) for expectation in recorded)


@pytest.mark.parametrize("lab", LABS, ids=lambda lab: lab.slug)
def test_a_wrong_solution_that_is_judged_to_its_end_records_its_failing_checks_or_why_not(lab):
    for expectation in expectations(lab):
        judged = expectation.outcome in (Outcome.FAILED, Outcome.CRASHED)
        says_why = "# note: " in expectation.path.read_text(encoding="utf-8")
        assert expectation.is_starter or not judged or expectation.failing is not None or says_why, expectation.path


@pytest.mark.parametrize("lab", LABS, ids=lambda lab: lab.slug)
def test_a_right_solution_complains_of_a_check_that_no_wrong_one_must_fail(lab):
    right = next(expectation for expectation in expectations(lab) if expectation.outcome is Outcome.PASSED)
    known = tuple(Check(name, name, True) for name in sorted(proved(lab)))
    assert right.complaint(Verdict(lab.slug, Outcome.PASSED, checks=known)) == ""
    new = Check("added-yesterday", "Nobody fails it", True)
    assert "added-yesterday" in right.complaint(Verdict(lab.slug, Outcome.PASSED, checks=(*known, new)))


def test_what_fails_sometimes_may_fail_and_proves_nothing():
    lab = LABS[0]
    drawn = Expectation(lab, lab.folder, (Outcome.FAILED,), frozenset({"a"}), sometimes=frozenset({"b"}))

    def complaint(*failed):
        checks = tuple(Check(name, name, False) for name in failed)
        return drawn.complaint(Verdict(lab.slug, Outcome.FAILED, checks=checks))

    assert complaint("a") == complaint("a", "b") == ""
    assert complaint("b") and complaint("a", "c") and complaint()
