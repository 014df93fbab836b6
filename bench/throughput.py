"""Verdicts a second, all cores at work: several people's submissions in the queue at once, for 1, 2 and 4 workers.

    python -m bench.throughput [--quick] [--postgres]

Two labs: the small exercise of `bench.verdicts`, of which a grading is little but its sandbox, and a real lab's Submit,
in which the submission is metered. Workers are warm, with a sandbox waiting, when the submissions are sent.
limit    the same cases played and judged in warm processes without sandbox, queue or database, one a core, at once
fresh    the same in a fresh process for each grading, one a core at a time: what it costs that no submission meets
         another, without any sandbox
sandbox  processor time in which one sandbox imports torch and makes its meter warm: each is used once, so every verdict
         pays it, though nobody waits for it while a core is free
Aim: with as many workers as cores, at least nine tenths of the limit. Leaves with 1 below it.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from bench.peers import limit
from bench.peers.running import EXERCISE, SLUG
from bench.results import machine, missed, row, save, show_rows
from bench.site import PAUSE_S, Site, services, workers
from grader import catalog

AIM = 0.9
WORKERS = (1, 2, 4)
PEOPLE = 5
REAL = "checkpoint-function"
AT_ONCE = {SLUG: 12, REAL: 6}
"""Submissions in the queue at once, in each round."""

LIMIT_TIMES = {SLUG: 200, REAL: 2}
"""Gradings of each process that makes the limit, in each round."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="one round instead of three, four submissions at once")
    parser.add_argument("--postgres", action="store_true", help="PostgreSQL instead of SQLite")
    options = parser.parse_args()
    on = machine()
    rounds = 1 if options.quick else 3
    with both_labs() as catalogue:
        os.environ["HEADROOM_CATALOG"] = str(catalogue)
        bounds = {slug: [together(slug, on["cores"]) for _ in range(rounds)] for slug in AT_ONCE}
        lone = {slug: [fresh(slug, on["cores"]) for _ in range(rounds)] for slug in AT_ONCE}
        start = row("sandbox: processor time of its start", "ms", sandboxes(rounds + 2))
        found = rates(options.postgres, rounds, quick=options.quick)
    rows = [start]
    for slug, bound in bounds.items():
        bound_row = row(f"{slug}: limit, {on['cores']} warm processes", "1/s", bound)
        rows.append(bound_row)
        name = f"{slug}: a fresh process each, {on['cores']} at once"
        rows.append(row(name, "1/s", lone[slug], against=bound_row, better="high"))
        rows += beside(slug, bound_row, found, on["cores"])
    title = "Verdicts a second"
    show_rows(title, rows)
    save("throughput", on, {"title": title, "quick": options.quick, "postgres": options.postgres, "rows": rows})
    return int(missed(rows))


@contextmanager
def both_labs() -> Iterator[Path]:
    """Give a folder of labs with the small exercise and the real lab."""
    with tempfile.TemporaryDirectory(prefix="hr-labs-") as name:
        for folder in (EXERCISE / SLUG, catalog.DEFAULT_ROOT / REAL):
            (Path(name) / folder.name).symlink_to(folder)
        yield Path(name)


def together(slug: str, processes: int) -> float:
    """Return gradings a second of so many warm processes at once."""
    with ExitStack() as stack:
        options = (slug, "--times", str(LIMIT_TIMES[slug]))
        started = [stack.enter_context(limit.waiting(*options, environment=dict(os.environ))) for _ in range(processes)]
        for process in started:
            limit.go(process)
        samples = [limit.seconds(process) for process in started]
    print(".", end="", flush=True)
    return sum(len(sample) / sum(sample) for sample in samples)


def fresh(slug: str, processes: int) -> float:
    """Return gradings a second where each has a process of its own, so many at a time."""

    def one(_: int) -> None:
        with limit.waiting(slug, environment=dict(os.environ)):
            pass  # it has graded once when it is ready

    count = 2 * processes
    with ThreadPoolExecutor(processes) as threads:
        began = time.perf_counter()
        list(threads.map(one, range(count)))
        seconds = time.perf_counter() - began
    print(".", end="", flush=True)
    return count / seconds


def sandboxes(times: int) -> list[float]:
    """Return processor milliseconds of the start of so many sandboxes, one after the other."""
    from grader import pool
    from grader.judge import LIMITS, START_SECONDS
    from grader.session import Session

    found = []
    for _ in range(times):
        with pool.take("auto", LIMITS) as box:
            Session(box).wait_ready(START_SECONDS)
            found.append(1000 * box.process.cpu_seconds())
    return found


def rates(on_postgres: bool, rounds: int, quick: bool) -> dict[tuple[str, int], list[float]]:
    """Return verdicts a second by lab and number of workers."""
    found: dict[tuple[str, int], list[float]] = {}
    with services(on_postgres, HEADROOM_CATALOG=os.environ["HEADROOM_CATALOG"]) as (environment, folder):
        site = Site(environment, SLUG, "submit", people=PEOPLE)
        for count in WORKERS:
            with workers(environment, folder, [f"w{number}" for number in range(count)]):
                site.choose(SLUG)
                site.all_graded(2 * count)  # the workers are there
                for slug, submissions in AT_ONCE.items():
                    site.choose(slug)
                    sent = 4 if quick else submissions
                    site.all_graded(count)  # and have met the lab
                    found[slug, count] = []
                    for _ in range(rounds):
                        time.sleep(PAUSE_S)
                        found[slug, count].append(sent / site.all_graded(sent))
    return found


def beside(
    slug: str, bound: dict[str, Any], found: dict[tuple[str, int], list[float]], cores: int
) -> Iterator[dict[str, Any]]:
    """Yield a lab's rows by number of workers; the aim is for as many as there are cores, or the most tried."""
    judged = max(count for count in WORKERS if count <= cores)
    for count in WORKERS:
        made = row(
            f"{slug}: {count} worker{'s' * (count > 1)}", "1/s", found[slug, count], against=bound, better="high"
        )
        if count == judged:
            made |= {"aim": f"at least {AIM:g} of the limit", "met": made["ratio"] >= AIM}
        yield made


if __name__ == "__main__":
    sys.exit(main())
