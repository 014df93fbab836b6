"""Every lab's right and wrong solutions get the verdict that their file says, and the self-check can fail.

One right and one wrong solution of each lab are played here; `make selfcheck` plays all and the starters, and so
does this module where HEADROOM_REQUIRE names `selfcheck`.
"""

import pytest

from grader import catalog, judge, lab_code
from grader.__main__ import main
from grader.selfcheck import expectations, skipped
from tests.support import required


def sample(lab):
    """One solution that passes, on the public cases, and one that does not."""
    played = expectations(lab)
    if required("selfcheck"):
        return played
    return [
        next(e for e in played if e.is_right_run),
        next(e for e in played if e.path.parent.name == "wrong"),
    ]


EXPECTATIONS = [expectation for lab in catalog.all_labs() for expectation in sample(lab)]


@pytest.fixture(scope="module", autouse=True)
def one_sandbox_waits():
    judge.pool.keep(1)
    yield
    judge.pool.keep(0)


@pytest.mark.long
@pytest.mark.parametrize("expectation", EXPECTATIONS, ids=lambda expectation: expectation.name)
def test_solution_gets_the_verdict_it_must_get(expectation):
    if sentence := skipped(expectation.lab):
        pytest.skip(sentence)
    verdict = expectation.grade()
    assert expectation.complaint(verdict) == ""
    assert not any(check.hint == "" for check in verdict.checks if not check.passed), "a failed check without a hint"


@pytest.mark.parametrize("lab", catalog.all_labs(), ids=lambda lab: lab.slug)
def test_each_lab_has_three_right_and_six_wrong_solutions_and_a_starter(lab):
    folders = [expectation.path.parent.name for expectation in expectations(lab) if not expectation.is_right_run]
    assert folders.count("right") >= 3
    assert folders.count("wrong") >= 6
    assert lab.starter and folders.count(lab.folder.name) == 1


def test_a_lab_whose_device_is_not_here_is_skipped_and_said(monkeypatch, capsys):
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)
    assert main(["selfcheck", "offload-activations"]) == 1, "a selfcheck that played nothing has not passed"
    printed = capsys.readouterr().out
    assert "offload-activations is skipped: it runs on cuda. There is no CUDA device" in printed
    with pytest.raises(ValueError, match="cannot be graded on cuda"):
        judge.grade("offload-activations", b"def offload(): ...", device="cuda")


def test_a_check_that_was_switched_off_makes_the_selfcheck_fail(monkeypatch):
    lab = catalog.get("checkpoint-function")
    wrong = next(e for e in expectations(lab) if e.path.stem == "replay_for_each_tensor")
    module = lab_code.judge(lab)
    honest = module.check
    monkeypatch.setattr(module, "check", lambda runs: [c for c in honest(runs) if c.name != "recomputed-work"])
    complaint = wrong.complaint(judge.grade(lab.slug, wrong.path.read_bytes()))
    assert "outcome passed instead of failed" in complaint
