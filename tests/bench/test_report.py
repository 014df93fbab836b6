"""The benchmarks' page is what its figures give, and a ratio that got worse is noticed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from bench import bars, ratios, report
from bench.results import row

MACHINE = {"processor": "One", "cores": 2, "load": 0.1, "at": "now", "commit": "abc"}
MACHINE |= {"kernel": "6", "python": "3.11", "torch": "2"}


def run(ratio: float, better: str = "low", **more: Any) -> dict[str, Any]:
    peer = row("peer", "ms", [10.0])
    rows = [peer, row("ours", "ms", [10.0 * ratio], against=peer, better=better, aim="at most 2", met=ratio <= 2)]
    return {"machine": MACHINE, "title": "A subject", "quick": False, "rows": rows, **more}


@pytest.mark.parametrize(
    ("better", "was", "now", "worse"),
    [
        ("low", 1.0, 1.19, False),
        ("low", 1.0, 1.21, True),
        ("low", 1.0, 0.2, False),
        ("high", 0.8, 0.67, False),
        ("high", 0.8, 0.66, True),
        ("high", 0.8, 3.0, False),
        ("low", 0.0, 0.0, False),
        ("low", 0.0, 0.1, True),
    ],
)
def test_a_ratio_may_be_worse_by_a_fifth_and_no_more(better: str, was: float, now: float, worse: bool) -> None:
    (change,) = ratios.compare("subject", ratios.of(run(was, better)), ratios.of(run(now, better)))
    assert change.worse is worse


def test_what_is_no_longer_measured_fails_and_what_is_new_does_not() -> None:
    found = ratios.of(run(1.0))
    assert [change.worse for change in ratios.compare("subject", found, {})] == [True]
    assert [change.worse for change in ratios.compare("subject", {}, found)] == [False]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of runs in place of var/bench, and kept figures and a page beside it."""
    monkeypatch.setattr(ratios, "KEPT", tmp_path / "ratios.json")
    monkeypatch.setattr(ratios, "runs", lambda real=ratios.runs: real(tmp_path / "runs"))
    monkeypatch.setattr(report, "PAGE", tmp_path / "benchmarks.md")
    monkeypatch.setattr(report, "FOLDER", tmp_path / "benchmarks")
    monkeypatch.setattr(report, "RUNS", tmp_path / "benchmarks" / "runs.json")
    monkeypatch.setattr(report, "ROOT", tmp_path)
    (tmp_path / "runs").mkdir()
    return tmp_path / "runs"


def write(folder: Path, found: dict[str, Any], subject: str = "subject") -> None:
    (folder / f"{subject}.json").write_text(json.dumps(found))


def call(main: Any, monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    monkeypatch.setattr("sys.argv", ["bench", *arguments])
    return main()


def test_the_command_fails_after_a_worse_run_only(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(folder, run(1.0))
    assert call(ratios.main, monkeypatch, "--keep") == 0
    assert "10" not in ratios.KEPT.read_text()  # milliseconds are another machine's tomorrow
    assert call(ratios.main, monkeypatch) == 0
    write(folder, run(1.3))
    assert call(ratios.main, monkeypatch) == 1
    write(folder, run(1.3, quick=True))
    assert call(ratios.main, monkeypatch) == 0


def test_the_page_shows_every_row_the_machine_and_the_command(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(folder, run(3.0))
    assert call(report.main, monkeypatch) == 0
    page = report.PAGE.read_text()
    assert "| ours | ms | 30 | 30 | 30 | 1 | 3 × peer | at most 2: **missed** |" in page
    assert "`python -m bench.subject`: One, 2 cores" in page and "commit abc" in page
    assert "(benchmarks/subject.svg)" in page and "3 ×" in (report.FOLDER / "subject.svg").read_text()
    assert call(report.main, monkeypatch, "--check") == 0
    report.PAGE.write_text(page.replace("30", "20", 1))
    assert call(report.main, monkeypatch, "--check") == 1


def test_a_quick_run_leaves_the_page_as_it_was(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(folder, run(1.0))
    call(report.main, monkeypatch)
    before = report.PAGE.read_text()
    write(folder, run(3.0, quick=True))
    call(report.main, monkeypatch)
    assert report.PAGE.read_text() == before


def test_bars_go_left_for_less_and_right_for_more() -> None:
    less, more = (bars.svg("t", run(ratio)["rows"]) for ratio in (0.5, 2.0))
    assert 'text-anchor="end">0.5 ×' in less and 'text-anchor="start">2 ×' in more
    assert bars.svg("t", [row("alone", "ms", [1.0])]) == ""


def test_the_committed_page_is_what_the_committed_figures_give() -> None:
    assert report.stale() == []
