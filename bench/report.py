"""Write docs/benchmarks.md and its pictures from the last whole runs.

    python -m bench.report            take the runs in var/bench that were not quick, and write the page
    python -m bench.report --check    leave with 1 where the page is not what docs/benchmarks/runs.json gives

Figures are kept in docs/benchmarks/runs.json, a subject each with the machine that it was taken on: a subject that was
not run again stays as it was.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from bench import bars, ratios
from bench.results import PARTS, ROOT

PAGE, FOLDER = ROOT / "docs" / "benchmarks.md", ROOT / "docs" / "benchmarks"
RUNS = FOLDER / "runs.json"
TAKEN = ("machine", "title", "quick", "rows")

HEAD = """# Benchmarks

Written by `python -m bench.report` from the last whole run of `make bench`; nothing here is typed by hand. Each figure
stands beside its peer or its limit from the same run. `make bench` fails where an aim is missed, and where a figure's
ratio to its peer is worse by more than a fifth than the one kept in `bench/ratios.json`. What a subject measures and
how is said at the top of its module in `bench/`.
"""


def page(runs: dict[str, dict[str, Any]]) -> str:
    """Return the document for the runs of all subjects."""
    parts = [HEAD]
    if not runs:
        parts.append("No whole run has been kept yet: `make bench` writes it.\n")
    for subject, run in sorted(runs.items()):
        parts.append(section(subject, run))
    return "\n".join(parts)


def section(subject: str, run: dict[str, Any]) -> str:
    on = run["machine"]
    lines = [f"## {run.get('title', subject)}", "", f"`python -m bench.{subject}`: {machine(on)}", ""]
    if bars.svg(run.get("title", subject), run["rows"]):
        lines += [f"![{run.get('title', subject)}: each beside its peer](benchmarks/{subject}.svg)", ""]
    lines += ["| | unit | median | lowest | highest | n | beside | aim |", "|---|---|---:|---:|---:|---:|---|---|"]
    return "\n".join([*lines, *(line(row) for row in run["rows"]), ""])


def machine(on: dict[str, Any]) -> str:
    """Say what a run's figures depend on."""
    return (
        f"{on['processor']}, {on['cores']} cores, Linux {on['kernel']}, Python {on['python']}, torch {on['torch']}; "
        f"load before the run {on['load']}; at {on['at']}, commit {on['commit']}"
    )


def line(row: dict[str, Any]) -> str:
    beside = f"{row['ratio']:.3g} × {row['against']}" if row["ratio"] is not None else ""
    aim = f"{row['aim']}: {'met' if row['met'] else '**missed**'}" if row["aim"] and row["met"] is not None else ""
    figures = [f"{row[part]:,.3g}" if abs(row[part]) < 1000 else f"{row[part]:,.0f}" for part in PARTS]
    cells = [row["name"], row["unit"], *figures, row["n"], beside, aim or row["aim"] or ""]
    return "| " + " | ".join(str(cell).replace("|", "/") for cell in cells) + " |"


def files(runs: dict[str, dict[str, Any]]) -> dict[Path, str]:
    """Return what is written, by path: the page and a picture for each subject that has ratios."""
    written = {PAGE: page(runs)}
    for subject, run in runs.items():
        if picture := bars.svg(run.get("title", subject), run["rows"]):
            written[FOLDER / f"{subject}.svg"] = picture
    return written


def kept() -> dict[str, dict[str, Any]]:
    return json.loads(RUNS.read_text()) if RUNS.exists() else {}


def stale() -> list[Path]:
    """Return what is not as the kept runs give it, pictures of no run among them."""
    wanted = files(kept())
    there = {PAGE, *FOLDER.glob("*.svg"), *wanted}
    return [path for path in sorted(there) if not path.exists() or path.read_text() != wanted.get(path)]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing, and say what is not current")
    options = parser.parse_args()
    if options.check:
        for path in stale():
            print(f"{path.relative_to(ROOT)} is not what docs/benchmarks/runs.json gives: python -m bench.report")
        return 1 if stale() else 0
    fresh = {subject: {name: run[name] for name in TAKEN if name in run} for subject, run in ratios.runs().items()}
    runs = kept() | fresh
    FOLDER.mkdir(exist_ok=True)
    RUNS.write_text(json.dumps(runs, indent=1, sort_keys=True, ensure_ascii=False) + "\n")
    for path, text in files(runs).items():
        path.write_text(text)
    print(f"docs/benchmarks.md holds {', '.join(sorted(runs)) or 'no run'}; new: {', '.join(fresh) or 'none'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
