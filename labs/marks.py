"""Which lines of a submission its verdict names, and what it says of them. Pure functions; no database, no torch."""

from __future__ import annotations

import re
from dataclasses import dataclass

from grader.verdict import Check, Outcome, Verdict
from labs import comparing

MOST_MARKS = 20
MOST_LETTERS = 300

_FRAME = re.compile(r"^  line (\d{1,7}), in ", re.MULTILINE)  # as grader.subject writes the learner's own frames
_CHECK = re.compile(r"(?:^Line |\(line )(\d{1,7})\b")  # as checks say it: "Line 7 uses …", "…: boom (line 7)."
_REFUSAL = re.compile(r"\b[Ll]ine (\d{1,7})\b")  # as grader.source and grader.subject refuse a file

ON_THE_WAY = "On the way to the error: this call had not returned."


@dataclass(frozen=True)
class Mark:
    """One line, from 1, and a sentence about it; `way`: a call that led to the error and did not raise it."""

    line: int
    message: str
    way: bool = False


def of(verdict: Verdict, source: str) -> list[Mark]:
    """Return the lines of `source` that the verdict names, in order, one mark a line; none outside it."""
    found = [*_of_traceback(verdict), *_of_refusal(verdict)]
    found += [mark for check in verdict.checks if not check.passed for mark in _of_check(check)]
    by_line: dict[int, Mark] = {}
    for mark in sorted(found, key=lambda mark: mark.way):
        by_line.setdefault(mark.line, mark)
    last = len(comparing.lines_of(source))
    kept = [mark for mark in by_line.values() if 1 <= mark.line <= last][:MOST_MARKS]
    return sorted(kept, key=lambda mark: mark.line)


def moved(marks: list[Mark], source: str, text: str) -> list[Mark]:
    """Return the marks on `source` where their lines now stand in `text`; a line that was edited has none."""
    if source == text or not marks:
        return marks
    places = {
        first + n: second + n
        for first, second, size in comparing.matching(comparing.lines_of(source), comparing.lines_of(text))
        for n in range(size)
    }
    here = [(places.get(mark.line - 1), mark) for mark in marks]
    return [Mark(place + 1, mark.message, mark.way) for place, mark in here if place is not None]


def _of_traceback(verdict: Verdict) -> list[Mark]:
    lines = [int(line) for line in _FRAME.findall(verdict.traceback)]
    if not lines:
        return []
    *way, last = lines
    return [Mark(last, _short(verdict.message)), *(Mark(line, ON_THE_WAY, way=True) for line in reversed(way))]


def _of_refusal(verdict: Verdict) -> list[Mark]:
    named = _REFUSAL.search(verdict.message) if verdict.outcome is Outcome.REFUSED else None
    return [Mark(int(named[1]), _short(verdict.message))] if named else []


def _of_check(check: Check) -> list[Mark]:
    named = _CHECK.findall(check.hint)
    return [Mark(int(named[-1]), _short(f"{check.title}: {check.hint}"))] if named else []


def _short(sentence: str) -> str:
    sentence = " ".join(sentence.split())
    return sentence if len(sentence) <= MOST_LETTERS else f"{sentence[: MOST_LETTERS - 1]}…"
