"""Requests a second and tail latency of the pages that people open most, against a view that does nothing.

    python -m bench.pages [--quick] [--verdict FILE]

gunicorn with sync workers, DEBUG off, PostgreSQL and Redis, as in production, on one core; who asks has the other.
`bare` is a view that answers "ok" (2 bytes) behind the same middleware, asked by the same person: for a member that
includes the session and the account. `static` is a file as WhiteNoise serves it from the same processes.
The subjects take turns; a row is the median over the rounds. p99 is over all answers of all rounds.
A verdict is its owner's page; its measurements are real, graded before the start. A visitor has none: no lab is open.
Aim: a lesson at 0.8 of the bare view's rate for a visitor and 0.4 for a member. Leaves with 1 below either.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench import load, web
from bench.results import ROOT, machine, missed, row, save, show_rows

LESSON, QUESTION = "/lessons/kv-cache/", "/questions/why-decode-is-slow/"
SEARCH = "/search/?q=activation+checkpointing"
LAB = "checkpoint-function"
AIMS = {"visitor": 0.8, "member": 0.4}


@dataclass
class Subject:
    """A page, as one person asks for it, and what came of each round."""

    name: str
    path: str
    cookie: str
    rounds: list[load.Answers] = field(default_factory=list)

    def rates(self) -> list[float]:
        return [each.rate for each in self.rounds]

    def tail(self) -> float:
        """Return the milliseconds within which 99 % of all answers came."""
        return load.at_share(sorted(one for each in self.rounds for one in each.milliseconds), 0.99)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="3 rounds of 0.4 s instead of 9 of 2 s")
    parser.add_argument("--verdict", type=Path, help="a verdict as JSON (grader grade --json) instead of grading now")
    options = parser.parse_args()
    rounds, seconds = (3, 0.4) if options.quick else (9, 2.0)
    on = machine()
    verdict = json.loads(options.verdict.read_text() if options.verdict else graded())
    with web.database() as folder:
        user, cookie = web.signed_in("member@example.org")
        subjects = subjects_of(verdict_page(user, verdict), cookie)
        with web.server(folder) as port:
            os.sched_setaffinity(0, web.cores()[1])
            subjects["visitor"].append(Subject("static file, visitor", static(), ""))
            measure(port, [one for some in subjects.values() for one in some], rounds, seconds)
    rows = [made for who, some in subjects.items() for made in rows_of(who, some)]
    tails = {one.name: round(one.tail(), 2) for some in subjects.values() for one in some}
    sizes = {one.name: one.rounds[-1].bytes for some in subjects.values() for one in some}
    show_rows("Pages: requests a second, one core", rows)
    print("\n99 % of answers within, ms: " + ", ".join(f"{name} {value:.1f}" for name, value in tails.items()))
    extras = {"p99_ms": tails, "answer_bytes": sizes, "workers": web.WORKERS, "seconds_a_round": seconds}
    save("pages", on, {"title": "Pages: requests a second", "quick": options.quick, "rows": rows, **extras})
    return 1 if missed(rows) else 0


def graded() -> str:
    """Grade a right solution and return the verdict as JSON."""
    source = min((ROOT / "labs" / "catalog" / LAB / "right").glob("*.py"))
    command = [sys.executable, "-m", "grader", "grade", LAB, str(source), "--json"]
    return subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True).stdout


def verdict_page(user: Any, verdict: dict[str, Any]) -> str:
    """Store a verdict as the member's and return its address."""
    from django.utils import timezone

    from labs.models import State, Submission

    now = timezone.now()
    made = Submission.objects.create(
        user=user, lab=LAB, source=b"# as graded\n", state=State.DONE, verdict=verdict, outcome=verdict["outcome"],
        score=verdict["score"], started=now, finished=now,
    )  # fmt: skip
    return f"/labs/submissions/{made.public_id}/"


def static() -> str:
    from django.templatetags.static import static as address

    return address("headroom.css")


def subjects_of(verdict: str, cookie: str) -> dict[str, list[Subject]]:
    """Return what each person asks for; the first is what the others are compared with."""
    pages = [("bare view", "/bare/"), ("lesson", LESSON), ("question", QUESTION), ("search", SEARCH)]
    return {
        "visitor": [Subject(f"{name}, visitor", path, "") for name, path in pages],
        "member": [Subject(f"{name}, member", path, cookie) for name, path in [*pages, ("verdict", verdict)]],
    }


def measure(port: int, subjects: list[Subject], rounds: int, seconds: float) -> None:
    """Let the subjects take turns, after a first turn that does not count."""
    for subject in subjects:
        load.round_of(port, load.request(web.HOST, subject.path, subject.cookie), seconds / 2)
    for _ in range(rounds):
        for subject in subjects:
            sent = load.request(web.HOST, subject.path, subject.cookie)
            subject.rounds.append(load.round_of(port, sent, seconds))
        print(".", end="", flush=True)


def rows_of(who: str, subjects: list[Subject]) -> list[dict[str, Any]]:
    bare = row(subjects[0].name, "1/s", subjects[0].rates())
    rows = [bare]
    for one in subjects[1:]:
        made = row(one.name, "1/s", one.rates(), against=bare, better="high")
        if one.path == LESSON:
            made |= {"aim": f"at least {AIMS[who]} of the bare view", "met": made["ratio"] >= AIMS[who]}
        rows.append(made)
    return rows


if __name__ == "__main__":
    sys.exit(main())
