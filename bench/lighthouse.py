"""Lighthouse over the site as production serves it: four scores a page, on its phone with slow 4G, over some runs.

    python -m bench.lighthouse            # three runs of every page; leaves with 1 where an aim is missed
    python -m bench.lighthouse --quick    # one run, a look

Needs Node 20 or later and Chromium; `npm ci` installs Lighthouse as `bench/lighthouse/package-lock.json` pins it.
The network and the processor's slowness are simulated from what was seen, so a busy machine only makes it worse.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from bench import results, web

HERE = Path(__file__).resolve().parent / "lighthouse"
AIMS = {"performance": 95, "accessibility": 100, "best-practices": 100, "seo": 100}
METRICS = {
    "largest-contentful-paint": ("largest paint", "ms"),
    "total-blocking-time": ("blocked", "ms"),
    "cumulative-layout-shift": ("layout shift", ""),
}
VISITOR, MEMBER = "visitor", "member"
PAGES = {
    "home": ("/", VISITOR),
    "lesson": ("/lessons/what-autograd-saves/", VISITOR),
    "question": ("/questions/derive-six-nd/", VISITOR),
    "lab": ("/labs/checkpoint-function/", MEMBER),
    "plans": ("/plans/", VISITOR),
}
Run = dict[str, Any]


def main() -> int:
    options = parse()
    node = shutil.which("node")
    if not node:
        print("Lighthouse needs Node 20 or later, and there is no node here.")
        return 1
    if not (HERE / "node_modules").is_dir():
        subprocess.run(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--silent"], cwd=HERE, check=True)
    on = results.machine()
    with web.database() as folder:
        # a browser asks under this name: it takes only itself for safe without TLS
        os.environ["ALLOWED_HOSTS"] = f"localhost,{web.HOST}"
        _, cookie = web.signed_in("lighthouse@example.org")
        with web.server(folder) as port:
            runs = audit(node, port, cookie, options)
    rows = [row for page in options.pages for row in rows_of(page, [run for run in runs if run["page"] == page])]
    results.show_rows("Lighthouse, mobile", rows)
    for page, fault in {(run["page"], said(fault)) for run in runs for fault in run["faults"]}:
        print(f"{page}: {fault}")
    results.save("lighthouse", on, {"title": "Lighthouse, mobile", "quick": options.quick, "rows": rows, "runs": runs})
    return 1 if results.missed(rows) else 0


def audit(node: str, port: int, cookie: str, options: argparse.Namespace) -> list[Run]:
    """Return what Lighthouse says of each page and run. Raises CalledProcessError where it breaks."""
    headers: dict[str, dict[str, str]] = {VISITOR: {}, MEMBER: {"Cookie": cookie}}
    pages = [
        {"name": name, "path": path, "headers": headers[person]}
        for name, (path, person) in PAGES.items()
        if name in options.pages
    ]
    task = {"chrome": options.chromium, "runs": 1 if options.quick else options.runs, "port": port, "pages": pages}
    cores = web.cores()[1]
    made = subprocess.run(
        [node, "run.mjs"], cwd=HERE, input=json.dumps(task), stdout=subprocess.PIPE, text=True, check=True,
        preexec_fn=lambda: os.sched_setaffinity(0, cores),
    )  # fmt: skip
    return [json.loads(line) for line in made.stdout.splitlines()]


def rows_of(page: str, runs: list[Run]) -> list[dict[str, Any]]:
    """Return a row a score with its aim, which every run has to meet in its median, and a row a metric."""
    rows = []
    for name, aim in AIMS.items():
        sample = [run["scores"][name] for run in runs]
        made = results.row(f"{page}: {name}", "of 100", sample, better="high", aim=f"at least {aim}")
        rows.append({**made, "met": made["median"] >= aim})
    for name, (words, unit) in METRICS.items():
        rows.append(results.row(f"{page}: {words}", unit, [run["metrics"][name] for run in runs]))
    return rows


def said(fault: dict[str, Any]) -> str:
    """Write what took something from a score."""
    places = "; ".join(filter(None, fault["places"]))
    return f"{fault['category']}: {fault['title']} ({fault['id']}) {fault['shown']} {places}".rstrip()


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.lighthouse", description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="one run of every page")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--pages", nargs="+", choices=PAGES, default=list(PAGES))
    parser.add_argument("--chromium", default="/usr/bin/chromium")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
