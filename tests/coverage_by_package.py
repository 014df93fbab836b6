"""Print what share of each package's lines the tests ran, from the data that `make coverage` gathered.

Leaves with 1 where a line of `grader` or of `accounts/access.py` was not run and nobody said why: by a
`# pragma: no cover` with a reason beside it, or by SEEN_ELSEWHERE. Those two decide verdicts and access.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

WHOLE = ("grader/", "accounts/access.py")
SEEN_ELSEWHERE = {
    "grader/subject.py": "runs in the sandbox only, from where no data comes out; every test of a lab runs it",
    "grader/sandbox/inside.py": "the same: the first lines in a sandbox, before the filter is shut",
}


def by_package(files: dict[str, dict[str, int]]) -> list[tuple[str, int, int]]:
    """Return (package, lines, lines run), the packages by name."""
    sums: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for name, summary in files.items():
        package = name.split("/")[0]
        sums[package][0] += summary["num_statements"]
        sums[package][1] += summary["covered_lines"]
    return [(package, lines, run) for package, (lines, run) in sorted(sums.items())]


def unexplained(missing: dict[str, list[int]]) -> list[str]:
    """Return a line for each file that has to be whole and is not."""
    return [
        f"{name}: {', '.join(map(str, lines[:20]))}{' …' if len(lines) > 20 else ''}"
        for name, lines in sorted(missing.items())
        if lines and name.startswith(WHOLE) and name not in SEEN_ELSEWHERE
    ]


def main() -> int:
    report = Path("var/coverage/report.json")
    subprocess.run([sys.executable, "-m", "coverage", "json", "-q", "-o", str(report)], check=True)
    files = json.loads(report.read_text())["files"]
    rows = by_package({name: each["summary"] for name, each in files.items()})
    total = ("all", sum(lines for _, lines, _ in rows), sum(run for _, _, run in rows))
    for package, lines, run in [*rows, total]:
        sys.stdout.write(f"{package:12} {lines:6} lines {lines - run:6} not run {run / max(lines, 1):8.1%}\n")
    left = unexplained({name: each["missing_lines"] for name, each in files.items()})
    if left:
        sys.stdout.write("\nNot run, and not explained:\n" + "".join(f"  {each}\n" for each in left))
    return 1 if left else 0


if __name__ == "__main__":
    sys.exit(main())
