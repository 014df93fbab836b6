"""Compare what the subjects' rows are beside their peers and limits with what they were when it was last kept.

    python -m bench.ratios            after a run of `make bench`: leaves with 1 where a ratio is worse by over a fifth
    python -m bench.ratios --keep     keep what the last run gave, in bench/ratios.json

Kept are ratios alone, as another machine has other times. A quick run says too little and is not compared.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.results import FOLDER, show

KEPT = Path(__file__).with_name("ratios.json")
ALLOWED = 1.2
"""A ratio may be this many times worse than the one that was kept."""

Found = dict[str, dict[str, Any]]


@dataclass(frozen=True)
class Change:
    """A row's ratio as it was kept and as it is; `times` says how much worse it is (below 1: better)."""

    name: str
    was: float | None
    now: float | None
    times: float | None

    @property
    def worse(self) -> bool:
        """Tell whether this fails: worse by over a fifth, or no longer measured."""
        return self.now is None or (self.times is not None and self.times > ALLOWED)


def runs(folder: Path = FOLDER) -> dict[str, dict[str, Any]]:
    """Return what the last whole runs wrote, by subject; quick ones and those of another shape are left out."""
    found = {path.stem: json.loads(path.read_text()) for path in sorted(folder.glob("*.json"))}
    return {subject: run for subject, run in found.items() if run.get("rows") and not run.get("quick")}


def of(run: Mapping[str, Any]) -> Found:
    """Return a run's rows that have a ratio, by name: the ratio and which is the better one."""
    return {
        row["name"]: {"ratio": round(row["ratio"], 4), "better": row["better"]}
        for row in run["rows"]
        if row["ratio"] is not None
    }


def compare(subject: str, kept: Found, found: Found) -> list[Change]:
    """Return how each ratio of a subject changed, kept ones first, then those that are new."""
    changes = []
    for name in [*kept, *(name for name in found if name not in kept)]:
        was, now = kept.get(name), found.get(name)
        times = None
        if was and now:
            low = now["better"] == "low"
            over, under = (now, was) if low else (was, now)
            times = over["ratio"] / under["ratio"] if under["ratio"] else float("inf" if over["ratio"] else 1)
        changes.append(Change(f"{subject}: {name}", was and was["ratio"], now and now["ratio"], times))
    return changes


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--keep", action="store_true", help="keep the last run's ratios instead of comparing them")
    options = parser.parse_args()
    kept: dict[str, Found] = json.loads(KEPT.read_text()) if KEPT.exists() else {}
    found = {subject: of(run) for subject, run in runs().items()}
    if options.keep:
        KEPT.write_text(json.dumps(kept | found, indent=1, sort_keys=True, ensure_ascii=False) + "\n")
        print(f"kept the ratios of {', '.join(found) or 'nothing: no whole run is there'}")
        return 0
    changes = [one for subject in found for one in compare(subject, kept.get(subject, {}), found[subject])]
    if not changes:
        print("no whole run to compare (quick ones are not)")
        return 0
    rows = [
        [one.name, *("–" if value is None else f"{value:.3g}" for value in (one.was, one.now, one.times)), said(one)]
        for one in changes
    ]
    show("Ratios beside those that were kept", ["", "kept", "now", "times worse", ""], rows)
    return 1 if any(one.worse for one in changes) else 0


def said(change: Change) -> str:
    if change.now is None:
        return "NO LONGER MEASURED"
    return "WORSE" if change.worse else "new" if change.was is None else ""


if __name__ == "__main__":
    sys.exit(main())
