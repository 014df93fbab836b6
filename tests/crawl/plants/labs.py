"""A lab of every tier, with submissions that are shared, private and of a plan that has ended."""

from __future__ import annotations

from grader.verdict import Check, Outcome, Verdict
from labs.models import Draft, Submission
from tests.crawl.book import FREE, LAPSED, MAY_OPEN, Book

NOBODY: tuple[str, ...] = ()


def plant(book: Book) -> None:
    for order, tier in enumerate(("open", "free", "premium")):
        _lab(book, tier, order)
    for tier in ("open", "free", "premium"):
        _submission(book, book.stranger, tier, "shared", MAY_OPEN[tier], shared=True)
        _submission(book, book.stranger, tier, "a stranger's", ())
    _submission(book, book.people[FREE], "free", "their own", [FREE])
    _submission(book, book.people[LAPSED], "premium", "their own", [LAPSED])
    for user, whose, readers in ((book.stranger, "a stranger's", ()), (book.people[FREE], "one's own", [FREE])):
        text, aside = (book.plant(f"{whose} {what}", readers) for what in ("draft of code", "code kept aside"))
        Draft.objects.create(user=user, lab="open-lab", text=text, aside=aside)


def _lab(book: Book, tier: str, order: int) -> None:
    readers, folder = MAY_OPEN[tier], book.folder / f"{tier}-lab"
    folder.mkdir()
    (folder / "lab.yaml").write_text(
        f"title: Lab for {tier}\nsummary: Its summary is for all.\ntier: {tier}\norder: {order}\n"
        "entry_points: [work]\ndevices: [cpu]\ntime_limit_s: 5\n"
    )
    (folder / "statement.md").write_text(f"# Lab\n\n{book.plant(f'{tier} lab, statement', readers)}\n")
    (folder / "starter.py").write_text(f"# {book.plant(f'{tier} lab, starter', readers)}\n")
    (folder / "harness.py").write_text(f"# {book.plant(f'{tier} lab, harness', readers)}\n")
    # How a lab is judged, and what passes it, leaves the server for nobody: staff read the files.
    (folder / "judge.py").write_text(f"# {book.plant(f'{tier} lab, judge', may=NOBODY)}\n")
    for kind in ("right", "wrong"):
        (folder / kind).mkdir()
        (folder / kind / "one.py").write_text(f"# {book.plant(f'{tier} lab, {kind} solution', may=NOBODY)}\n")


def _submission(book: Book, user: object, tier: str, whose: str, readers: object, *, shared: bool = False) -> None:
    code = book.plant(f"submission to the {tier} lab, {whose}: code", readers)  # type: ignore[arg-type]
    hint = book.plant(f"submission to the {tier} lab, {whose}: verdict", readers)  # type: ignore[arg-type]
    verdict = Verdict(
        f"{tier}-lab", Outcome.FAILED, score=0.5, checks=(Check("peak", "Peak bytes", False, 1, 2, "bytes", hint),)
    )
    Submission.objects.create(
        user=user,
        lab=f"{tier}-lab",
        source=f"# {code}\n".encode(),
        state="done",
        outcome="failed",
        verdict=verdict.to_json(),
        shared=shared,
    )
