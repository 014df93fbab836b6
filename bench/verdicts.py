"""From Submit to the verdict on one small exercise, beside other graders on the same cases, and beside the limit.

    python -m bench.verdicts [--quick] [--postgres]

The exercise is `bench/peers/exercise/rms-norm`: six cases, output and gradients, nothing metered, one right solution.
    limit          its cases played and judged in one warm process, with no sandbox, queue or database
    warm           from `labs.submitting.submit` to a row with a verdict, one at a time, while a sandbox waits ready
    back to back   the next one is sent as soon as the last has its verdict: its sandbox may still be importing torch
    cold           to a worker that is started at the same moment
    command line   a fresh `python -m grader grade`, sandbox included
    peers          a fresh pytest process, otter-grader and nbgrader as they are called for one submission (none has a
                   sandbox, a queue or a database of submissions), in an environment of their own, var/peers
Each peer must give the right solution all its points, and a wrong one not. Limit, command line and peers are timed in
turn. Aims: warm within 150 ms of the limit, at least 20 times quicker than otter-grader and nbgrader, 10 times than
pytest. Leaves with 1 where one is missed.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from bench.peers import limit
from bench.peers.running import EXERCISE, PEERS, SLUG, graded, installed, prepared
from bench.results import ROOT, machine, missed, row, save, show_rows
from bench.site import PAUSE_S, Site, services, workers
from grader import catalog
from grader.catalog import Lab
from headroom.install import CannotInstall

AIM_MS = 150
TIMES_QUICKER = {"pytest": 10, "otter-grader": 20, "nbgrader": 20}
WRONG = "eps_outside.py"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--quick", action="store_true", help="3 submissions instead of 12, the peers once instead of 4 times"
    )
    parser.add_argument("--postgres", action="store_true", help="PostgreSQL instead of SQLite")
    options = parser.parse_args()
    os.environ["HEADROOM_CATALOG"] = str(EXERCISE)
    try:
        installed()
    except CannotInstall as error:
        print(f"the peers are not here: {error}", file=sys.stderr)
        return 1
    on = machine()
    lab = catalog.get(SLUG)
    with tempfile.TemporaryDirectory(prefix="hr-peers-") as folder:
        alone = by_command(lab, Path(folder), rounds=1 if options.quick else 4)
    ours = through_the_site(options.postgres, times=3 if options.quick else 12, starts=1 if options.quick else 2)
    rows = beside(alone | ours)
    title = "From Submit to the verdict on a small exercise"
    show_rows(title, rows)
    save("verdicts", on, {"title": title, "quick": options.quick, "postgres": options.postgres, "rows": rows})
    return int(missed(rows))


def through_the_site(on_postgres: bool, times: int, starts: int) -> dict[str, list[float]]:
    """Return milliseconds from Submit to the verdict, by how ready the worker is."""
    found: dict[str, list[float]] = {"cold": []}
    with services(on_postgres, HEADROOM_CATALOG=str(EXERCISE)) as (environment, folder):
        site = Site(environment, SLUG, "submit")
        for _ in range(starts):
            with workers(environment, folder) as started:
                found["cold"].append(site.submitted(started)["done"])
        with workers(environment, folder):
            site.submitted()
            found["warm"] = [site.submitted(pause=PAUSE_S)["done"] for _ in range(times)]
            found["back to back"] = [site.submitted()["done"] for _ in range(times)]
    return {name: [1000 * seconds for seconds in sample] for name, sample in found.items()}


def by_command(lab: Lab, folder: Path, rounds: int) -> dict[str, list[float]]:
    """Return milliseconds of the limit, of our command line and of the peers, timed in turn.

    Raises RuntimeError where one of them judges a solution wrongly.
    """
    right = min((lab.folder / "right").glob("*.py"))
    for peer in PEERS:
        # The wrong solution also warms the disk: the first call of an environment compiles what it imports.
        for name, path in (("wrong", lab.folder / "wrong" / WRONG), ("right", right)):
            prepared(peer, lab, folder / f"{peer.name}-{name}", path.read_text(encoding="utf-8"))
        done = graded(peer, folder / f"{peer.name}-wrong")
        if peer.points(folder / f"{peer.name}-wrong") == 1.0:
            raise RuntimeError(f"{peer.name} gives a wrong solution all its points: {done.stdout[-2000:]}")
    found: dict[str, list[float]] = {"limit": [], "command line": [], **{peer.name: [] for peer in PEERS}}
    for _ in range(rounds):
        with limit.waiting(SLUG, "--times", "40", environment=dict(os.environ)) as process:
            limit.go(process)
            found["limit"] += [1000 * seconds for seconds in limit.seconds(process)]
        command = [sys.executable, "-m", "grader", "grade", SLUG, str(right)]
        began = time.perf_counter()
        subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
        found["command line"].append(1000 * (time.perf_counter() - began))
        for peer in PEERS:
            began = time.perf_counter()
            done = graded(peer, folder / f"{peer.name}-right")
            found[peer.name].append(1000 * (time.perf_counter() - began))
            if peer.points(folder / f"{peer.name}-right") != 1.0:
                raise RuntimeError(f"{peer.name} does not pass the right solution: {done.stdout[-2000:]}")
        print(".", end="", flush=True)
    return found


def beside(found: dict[str, list[float]]) -> list[dict[str, Any]]:
    """Return the rows: ours beside the limit, the peers beside our warm verdict."""
    bound = row("limit: one warm process", "ms", found["limit"])
    warm = row("Submit to verdict, warm", "ms", found["warm"], against=bound)
    warm |= {"aim": f"within {AIM_MS} ms of the limit", "met": warm["median"] - bound["median"] <= AIM_MS}
    rows = [bound, warm]
    rows += [row(f"Submit to verdict, {name}", "ms", found[name], against=bound) for name in ("back to back", "cold")]
    fresh = row("command line, a fresh process", "ms", found["command line"], against=bound)
    peers = [row(name, "ms", found[name], against=warm, better="high") for name in TIMES_QUICKER]
    for peer, times in zip(peers, TIMES_QUICKER.values(), strict=True):
        peer |= {"aim": f"at least {times} × our warm verdict", "met": peer["ratio"] >= times}
    return [*rows, fresh, *peers]


if __name__ == "__main__":
    sys.exit(main())
