"""The verdict holds only what it may hold, and survives its JSON form."""

import json
import math

import pytest

from grader.verdict import Check, Measurements, Outcome, StepSeconds, Verdict


def test_a_verdict_survives_its_json_form():
    verdict = Verdict(
        "lab",
        Outcome.FAILED,
        score=0.5,
        checks=(Check("a", "A", True, 1, 1, "bytes"), Check("b", "B", False, "x", None, "", "look there")),
        measurements=Measurements(saved_bytes=3, step_seconds=StepSeconds(1.0, 0.9, 1.1, 1.2)),
        notes=("cut",),
    )
    assert Verdict.from_json(json.loads(json.dumps(verdict.to_json(), allow_nan=False))) == verdict


def test_nan_becomes_text_in_json():
    data = Verdict("lab", Outcome.FAILED, checks=(Check("a", "A", False, math.nan, math.inf),)).to_json()
    assert (data["checks"][0]["expected"], data["checks"][0]["actual"]) == ("NaN", "infinity")


@pytest.mark.parametrize("score", [math.nan, math.inf, -0.1, 1.1])
def test_a_score_is_finite_and_between_0_and_1(score):
    with pytest.raises(ValueError, match="score"):
        Verdict("lab", Outcome.FAILED, score=score)


def test_nothing_passes_with_a_failed_check():
    with pytest.raises(ValueError, match="failed check"):
        Verdict("lab", Outcome.PASSED, checks=(Check("a", "A", False),))


def test_it_ran_and_it_is_right_are_two_questions():
    assert Outcome.FAILED.ran
    assert Outcome.PASSED.ran
    assert not any(Outcome(o).ran for o in ("crashed", "timed_out", "out_of_memory", "killed", "refused", "ungradable"))
