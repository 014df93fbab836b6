"""Every attack gets the verdict that its file says, and the corpus has the size and the honesty that is promised.

A third is played by default; HEADROOM_REQUIRE=attacks plays all of them.
"""

from pathlib import Path

import pytest

from grader import judge, selfcheck
from grader.verdict import Outcome
from tests.support import required

FOLDER = Path(__file__).parents[1] / "attacks"
ATTACKS = selfcheck.attacks(FOLDER)
ALWAYS = {"ballast_given_back", "pool_made_in_the_warm_up", "precomputed_while_prepared", "replayed_from_the_warm_up"}
"""Attacks that once passed."""


def in_this_run(number: int, attack: selfcheck.Expectation) -> bool:
    return required("attacks") or attack.path.stem in ALWAYS or (number % 3 == 0 and attack.mode == "run")


@pytest.fixture(scope="module", autouse=True)
def one_sandbox_waits():
    judge.pool.keep(1)
    yield
    judge.pool.keep(0)


@pytest.mark.long
@pytest.mark.parametrize(
    "attack",
    [attack for number, attack in enumerate(ATTACKS) if in_this_run(number, attack)],
    ids=lambda attack: f"{attack.path.parent.name}/{attack.path.stem}",
)
def test_an_attack_gets_the_verdict_it_must_get(attack):
    assert attack.complaint(attack.grade()) == ""


def test_the_corpus_holds_forty_attacks_on_the_verdict_and_twenty_five_on_the_machine():
    kinds = [attack.path.parent.name for attack in ATTACKS]
    assert kinds.count("verdict") >= 40
    assert kinds.count("machine") >= 25


def test_an_attack_that_still_passes_is_marked_and_named_in_the_threat_model():
    threat_model = (FOLDER.parents[1] / "docs" / "threat-model.md").read_text(encoding="utf-8")
    for attack in ATTACKS:
        known = "# note: KNOWN HOLE" in attack.path.read_text(encoding="utf-8")
        assert known == (Outcome.PASSED in attack.outcomes), attack.path
        assert not known or attack.path.stem in threat_model, attack.path


def test_a_file_with_several_right_outcomes_says_why():
    for attack in ATTACKS:
        assert len(attack.outcomes) == 1 or "# note: " in attack.path.read_text(encoding="utf-8"), attack.path


def test_each_attack_says_in_one_sentence_what_it_tries():
    for attack in ATTACKS:
        lines = [line for line in attack.path.read_text(encoding="utf-8").splitlines() if not line.startswith("# ")]
        assert lines[0].startswith('"""') and lines[0].endswith('."""'), attack.path
