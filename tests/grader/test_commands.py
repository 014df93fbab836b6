"""What the commands of `python -m grader` print and leave with, whatever the judge says. Nothing is graded here."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from grader import catalog, judge, pool, selfcheck
from grader.__main__ import main, text
from grader.selfcheck import Expectation, Played
from grader.tradeoff import Point, Tradeoff, measuring
from grader.verdict import Check, Measurements, Outcome, Verdict

LAB = catalog.get("checkpoint-function")
FAILED = Verdict(
    LAB.slug,
    Outcome.FAILED,
    message="1 of 2 checks failed.",
    checks=(
        Check("saved", "Bytes kept", False, 1_000, 2_500, "bytes", "Keep less."),
        Check("buffers", "Buffers move once", True, True, True),
    ),
    measurements=Measurements(saved_bytes=2_500, peak_bytes=30_000, step_flops=4_000_000, recomputed_flops=1_000),
    traceback="  line 3, in f",
    notes=("The output was cut.",),
)


@pytest.fixture
def judged(monkeypatch):
    """Have the judge give one verdict (or raise), and keep what it was asked."""
    asked: dict[str, Any] = {}

    def say(verdict: Verdict | Exception) -> dict[str, Any]:
        def grade(slug: str, source: bytes, **options: Any) -> Verdict:
            asked.update(options, slug=slug, source=source)
            if isinstance(verdict, Exception):
                raise verdict
            return verdict

        monkeypatch.setattr(judge, "grade", grade)
        return asked

    return say


@pytest.fixture(autouse=True)
def no_sandbox_is_kept_for_later():
    """A selfcheck has one wait from its first grading on."""
    yield
    pool.keep(0)


@pytest.fixture
def submission(tmp_path: Path) -> str:
    (tmp_path / "mine.py").write_bytes(b"def checkpoint(): ...")
    return str(tmp_path / "mine.py")


# grade


@pytest.mark.parametrize(
    ("outcome", "status"), [("passed", 0), ("failed", 1), ("refused", 1), ("timed_out", 1), ("ungradable", 3)]
)
def test_the_exit_status_says_whether_it_passed_did_not_or_was_our_fault(judged, submission, capsys, outcome, status):
    judged(Verdict(LAB.slug, Outcome(outcome), message="So it is."))
    assert main(["grade", LAB.slug, submission]) == status
    assert capsys.readouterr().out.startswith(f"{LAB.slug}: {outcome.replace('_', ' ')}. So it is.\n")


def test_grade_hands_on_what_was_asked_for(judged, submission):
    asked = judged(FAILED)
    main(["grade", LAB.slug, submission, "--mode", "run", "--sandbox", "bwrap"])
    assert asked == {
        "slug": LAB.slug, "source": b"def checkpoint(): ...", "mode": "run", "sandbox": "bwrap", "device": "cpu",
    }  # fmt: skip
    main(["grade", "offload-activations", submission])
    assert asked["device"] == "cuda", "that lab runs nowhere else"


def test_the_verdict_in_text_names_every_check_figure_line_and_note():
    assert text(FAILED).splitlines() == [
        "checkpoint-function: failed. 1 of 2 checks failed.",
        "",
        "  ✗ Bytes kept: expected 1,000, got 2,500 bytes",
        "      Keep less.",
        "  ✓ Buffers move once: expected True, got True ",
        "  saved                  2,500 bytes",
        "  peak                  30,000 bytes",
        "  work               4,000,000 FLOPs, 1,000 of them again",
        "",
        "  line 3, in f",
        "  The output was cut.",
    ]


def test_the_verdict_as_json_is_the_whole_verdict(judged, submission, capsys):
    judged(FAILED)
    assert main(["grade", LAB.slug, submission, "--json"]) == 1
    assert Verdict.from_json(json.loads(capsys.readouterr().out)) == FAILED


def test_what_the_judge_takes_for_wrong_usage_is_wrong_usage(judged, submission, capsys):
    judged(ValueError("checkpoint-function cannot be graded on cuda."))
    assert main(["grade", LAB.slug, submission, "--device", "cuda"]) == 2
    assert capsys.readouterr() == ("", "checkpoint-function cannot be graded on cuda.\n")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["grade", "no-such-lab", "{file}"], "no lab named 'no-such-lab'; there are: "),
        (["grade", LAB.slug, "{file}.not"], "cannot be read: No such file or directory"),
        (["selfcheck", "no-such-lab"], "no lab named 'no-such-lab'"),
        (["tradeoff", "no-such-lab"], "no lab named 'no-such-lab'"),
        (["tradeoff", "kv-cache"], "kv-cache has no plot of memory against work: its judge names no SELECTIVE"),
    ],
)
def test_what_is_not_there_is_named_in_one_line(submission, capsys, arguments, said):
    assert main([argument.format(file=submission) for argument in arguments]) == 2
    printed = capsys.readouterr()
    assert printed.out == "" and said in printed.err and printed.err.count("\n") == 1


def test_list_says_of_each_lab_where_it_runs(capsys):
    assert main(["list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == [lab.slug for lab in catalog.all_labs()]
    assert "cuda" in next(line for line in lines if line.startswith("offload-activations"))


def test_meter_is_handed_its_own_arguments(tmp_path, capsys):
    assert main(["meter", str(tmp_path / "none.py")]) == 2
    assert "none.py is not a file" in capsys.readouterr().err


# selfcheck


def solution(name: str, verdict: Verdict, complaint: str = "") -> Played:
    return Played(Expectation(LAB, LAB.folder / "wrong" / f"{name}.py", (Outcome.FAILED,), None), verdict, complaint)


def test_selfcheck_names_each_solution_with_its_verdict_and_leaves_with_0_when_all_is_well(monkeypatch, capsys):
    monkeypatch.setattr(selfcheck, "play", lambda lab, only: [solution("plain", FAILED)])
    assert main(["selfcheck", LAB.slug]) == 0
    first, last = capsys.readouterr().out.splitlines()
    assert first.split()[:3] == ["ok", f"{LAB.slug}/wrong/plain", "failed"] and first.endswith("  saved")
    assert last == "1 solutions and attacks, 1 as expected, 0 not"


def test_selfcheck_leaves_with_1_and_says_of_each_wrong_verdict_what_it_should_be(monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(selfcheck, "play", lambda lab, only: [solution("plain", FAILED)])
    monkeypatch.setattr(
        selfcheck, "play_attacks", lambda folder, only: [solution(folder.name, FAILED, "outcome failed instead of x")]
    )
    assert main(["selfcheck", LAB.slug, "--attacks", str(tmp_path / "forged")]) == 1
    good, bad, why, last = capsys.readouterr().out.splitlines()
    assert good.startswith("ok ") and bad.startswith(f"BAD {LAB.slug}/wrong/forged")
    assert why == "    outcome failed instead of x"
    assert last == "2 solutions and attacks, 1 as expected, 1 not"


def test_only_what_its_name_contains_is_played(monkeypatch):
    monkeypatch.setattr(Expectation, "grade", lambda self: replace(FAILED, checks=()))
    played = list(selfcheck.play(LAB, "wrong/plain"))
    assert [one.expectation.path.name for one in played] == ["plain.py"]
    assert "failed nothing instead of" in played[0].complaint


@pytest.mark.parametrize(("here", "device"), [(True, "cuda"), (False, "cpu")])
def test_a_solution_is_graded_as_its_file_says_on_the_first_device_that_is_here(judged, monkeypatch, here, device):
    monkeypatch.setattr("torch.cuda.is_available", lambda: here)
    asked, path = judged(FAILED), LAB.folder / "wrong" / "plain.py"
    lab = replace(LAB, devices=("cuda", "cpu"))
    assert Expectation(lab, path, (Outcome.FAILED,), None, mode="run").grade() is FAILED
    assert asked == {"slug": LAB.slug, "source": path.read_bytes(), "mode": "run", "device": device}


# Attacks and solutions that say what they must get


def test_an_attack_names_its_lab_its_mode_and_every_right_outcome(tmp_path, monkeypatch):
    (tmp_path / "a.py").write_text("# outcome: crashed | killed\n# lab: kv-cache\n# mode: submit\nx = 1\n")
    (tmp_path / "b.py").write_text("# outcome: failed\n# failing: peak-bytes\n# sometimes: dropout, rng\n")
    first, second = selfcheck.attacks(tmp_path)
    assert (first.lab.slug, first.mode, first.outcomes) == ("kv-cache", "submit", (Outcome.CRASHED, Outcome.KILLED))
    assert (second.lab.slug, second.mode, second.outcome) == (LAB.slug, "run", Outcome.FAILED)
    assert (second.failing, second.sometimes) == ({"peak-bytes"}, {"dropout", "rng"})
    monkeypatch.setattr(Expectation, "grade", lambda self: Verdict(self.lab.slug, Outcome.KILLED))
    assert [bool(one.complaint) for one in selfcheck.play_attacks(tmp_path)] == [False, True]


def test_a_folder_without_an_attack_and_a_file_that_does_not_say_are_refused(tmp_path):
    with pytest.raises(ValueError, match="holds no attack"):
        selfcheck.attacks(tmp_path)
    (tmp_path / "silent.py").write_text("x = 1\n")
    with pytest.raises(ValueError, match=r"silent\.py: the first line must say '# outcome: …'"):
        selfcheck.attacks(tmp_path)


# tradeoff


def test_tradeoff_prints_what_it_metered_and_wrote(monkeypatch, capsys):
    plain = Point("plain", "plain: everything kept", 1_000, 100)
    made = Tradeoff("chain", (plain, Point("full", "full: every block run again", 400, 133)), (plain,), "", "")
    wrote: list[str] = []
    monkeypatch.setattr(measuring, "write", lambda lab: wrote.append(lab.slug) or [made])
    assert main(["tradeoff", LAB.slug]) == 0
    assert wrote == [LAB.slug]
    assert capsys.readouterr().out.splitlines() == [
        "checkpoint-function, chain",
        f"  {'plain: everything kept':48}           1,000 bytes     0.00% of the work again",
        f"  {'full: every block run again':48}             400 bytes    33.00% of the work again",
        f"  {'plain: everything kept':48}           1,000 bytes     0.00% of the work again",
    ]
    assert main(["tradeoff"]) == 0
    assert set(wrote[1:]) == {"checkpoint-function", "sqrt-segments", "selective-recompute", "byte-budget"}
