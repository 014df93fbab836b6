"""What every benchmark shares: rows that stand beside each other, as a table on the terminal and as JSON in var/bench.

A subject's JSON holds `machine`, `title`, `quick`, `rows` and whatever else the subject keeps. A row is
    name, unit          what was measured; units as in "ms", "s", "bytes", "1/s", "" for a share
    median, low, high   over `n` repeats
    against, ratio      the row of the same run that it is compared with, and this median over that one
    better              "low" or "high": which ratio is the better one
    aim, met            what it should be, in words, and whether it is
with None where there is nothing to say.
"""

from __future__ import annotations

import json
import os
import platform
import subprocess
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from statistics import median
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "var" / "bench"
PARTS = ("median", "low", "high")


def machine() -> dict[str, Any]:
    """Return what the figures depend on: processor, cores, load before the run (1 minute), kernel, torch, commit."""
    named = [line for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("model name")]
    commit = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    return {
        "processor": named[0].partition(":")[2].strip() if named else platform.machine(),
        "cores": len(os.sched_getaffinity(0)),
        "load": round(os.getloadavg()[0], 2),
        "kernel": platform.release(),
        "python": platform.python_version(),
        "torch": version("torch"),
        "commit": commit.stdout.strip(),
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
    }


def row(
    name: str,
    unit: str,
    sample: Sequence[float],
    *,
    against: dict[str, Any] | None = None,
    better: str = "low",
    aim: str | None = None,
    met: bool | None = None,
) -> dict[str, Any]:
    """Return what a sample says, beside the row `against`. Raises ValueError for another `better`."""
    if better not in ("low", "high"):
        raise ValueError(f"better must be 'low' or 'high', not {better!r}")
    middle = median(sample)
    return {
        "name": name, "unit": unit, "median": middle, "low": min(sample), "high": max(sample), "n": len(sample),
        "against": against["name"] if against else None,
        "ratio": middle / against["median"] if against else None,
        "better": better if against else None,
        "aim": aim, "met": met,
    }  # fmt: skip


def show_rows(title: str, rows: Sequence[dict[str, Any]]) -> None:
    """Print rows as a table; an aim that is missed says so."""
    cells = []
    for one in rows:
        aim = f"{one['aim']}{': MISSED' if one['met'] is False else ''}" if one["aim"] else ""
        beside = f"{one['ratio']:.3g} × {one['against']}" if one["ratio"] is not None else ""
        figures = [f"{one[part]:,.3g}" if abs(one[part]) < 1000 else f"{one[part]:,.0f}" for part in PARTS]
        cells.append([one["name"], one["unit"], *figures, one["n"], beside, aim])
    show(title, ["", "unit", *PARTS, "n", "beside", "aim"], cells)


def missed(rows: Sequence[dict[str, Any]]) -> bool:
    """Tell whether an aim was missed."""
    return any(one["met"] is False for one in rows)


def show(title: str, heads: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """Print a table: the first column to the left, the others to the right."""
    cells = [list(map(str, heads)), *(list(map(str, row)) for row in rows)]
    wide = [max(len(row[column]) for row in cells) for column in range(len(heads))]
    print(f"\n{title}\n", flush=True)
    for number, row in enumerate(cells):
        first, *rest = row
        print("  ".join([first.ljust(wide[0]), *(cell.rjust(w) for cell, w in zip(rest, wide[1:], strict=True))]))
        if number == 0:
            print("  ".join("-" * w for w in wide))


def save(subject: str, on: dict[str, Any], figures: dict[str, Any]) -> Path:
    """Write a benchmark's figures, with the machine they were taken on, to var/bench/<subject>.json."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    path = FOLDER / f"{subject}.json"
    path.write_text(json.dumps({"machine": on, **figures}, indent=1) + "\n")
    busy = ": the machine was busy, so times say little" if on["load"] > 0.5 else ""
    print(f"\n{on['processor']}, {on['cores']} cores, torch {on['torch']}, load before {on['load']}{busy}")
    print(f"written to {os.path.relpath(path, ROOT)}")
    return path
