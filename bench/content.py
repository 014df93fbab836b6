"""The whole curriculum built, loaded and searched: each step beside the least that it could be.

    python -m bench.content [--quick]

PostgreSQL, production's settings, as in `bench.web`.
built       every page read, rendered and checked, figures computed, beside python-markdown alone on the same text
code run    every code block of every page run, as `content check` does (not with --quick)
loaded      written into empty tables, index included, beside loading it again with nothing changed: that is to be less
            than half of it
searched    `search.finding.find` for a member, beside a scan of the same entries by the same words (ILIKE, no ranking)
Leaves with 1 where an aim is missed.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

from bench import web
from bench.results import machine, missed, row, save, show_rows

QUERIES = ("cache", "activation checkpointing", "mfu", "why is decode slow", "chekpointing", "zzzz")
LOAD_AIM = 0.5


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="2 repeats instead of 5, and no code is run")
    options = parser.parse_args()
    repeats = 2 if options.quick else 5
    on, rows = machine(), []
    with web.database():
        built, made = building(repeats)
        rows += built
        if not options.quick:
            rows.append(row("code of all pages run", "s", [seconds(lambda: run_code(made))]))
        rows += loading(made, repeats)
        rows += searching(repeats)
    show_rows("The whole curriculum", rows)
    save("content", on, {"title": "Curriculum: built, loaded, searched", "quick": options.quick, "rows": rows})
    return 1 if missed(rows) else 0


def seconds(work: Callable[[], Any]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def building(repeats: int) -> tuple[list[dict[str, Any]], Any]:
    """Return the rows of building, and what was built."""
    import markdown

    from courses import drawing, lab_links
    from courses.authoring.build import build_or_raise
    from courses.management.commands.content import CONTENT

    texts = [path.read_text() for path in sorted(CONTENT.rglob("*.md"))]
    labs = set(lab_links.titles() or ())
    alone, whole = [], []
    for _ in range(repeats):
        alone.append(seconds(lambda: [markdown.markdown(text, extensions=["extra"]) for text in texts]))
        whole.append(seconds(lambda: build_or_raise(CONTENT, drawing.embedded, labs)))
    peer = row(f"python-markdown alone, {len(texts)} pages", "s", alone)
    made = build_or_raise(CONTENT, drawing.embedded, labs)
    return [peer, row("built: rendered, computed, checked", "s", whole, against=peer)], made


def run_code(made: Any) -> None:
    """Run every page's code. Raises SystemExit where a block is not right: then the time says nothing."""
    from courses.authoring.code import run_pages

    if problems := run_pages([(page.path, page.code) for page in (*made.lessons, *made.questions)]):
        raise SystemExit(f"{len(problems)} problems in the code of the pages; run: manage.py content check")


def loading(made: Any, repeats: int) -> list[dict[str, Any]]:
    """Return the rows of loading into empty tables and of loading again."""
    from django.core.management import call_command

    from courses.sync import sync

    first, again = [], []
    for _ in range(repeats):
        call_command("flush", interactive=False, verbosity=0)
        first.append(seconds(lambda: sync(made)))
        again.append(seconds(lambda: sync(made)))
    peer = row("loaded into empty tables", "s", first)
    met = statistics.median(again) <= LOAD_AIM * statistics.median(first)
    aim = f"at most {LOAD_AIM} of the first"
    return [peer, row("loaded again, nothing changed", "s", again, against=peer, aim=aim, met=met)]


def searching(repeats: int) -> list[dict[str, Any]]:
    """Return the rows of each query: found, and scanned for."""
    from django.db.models import Q
    from django.utils import timezone

    from accounts.access import Person
    from search.finding import find
    from search.models import Entry

    person = Person(signed_in=True)
    rows = []
    for query in QUERIES:
        wanted = Q()
        for word in query.split():
            wanted &= Q(text__icontains=word) | Q(title__icontains=word)
        scanned = Entry.objects.filter(wanted, opens__in=["open", "free"])[:120]
        ours, theirs = [], []
        for _ in range(repeats * 4):
            theirs.append(1000 * seconds(lambda rows=scanned: list(rows.all())))  # type: ignore[misc]
            ours.append(1000 * seconds(lambda text=query: find(text, person, timezone.now())))  # type: ignore[misc]
        peer = row(f"scan for “{query}”", "ms", theirs)
        rows += [peer, row(f"search for “{query}”", "ms", ours, against=peer)]
    return rows


if __name__ == "__main__":
    sys.exit(main())
