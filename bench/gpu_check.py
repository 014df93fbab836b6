"""Every check that needs a GPU, on one card, in under four minutes.

    python -m bench.gpu_check [--seconds 230]

Runs the tests marked `gpu`: the meter on CUDA's allocator (the same bytes and FLOPs in each of five runs, the peak the
allocator's own), a right solution and the plain run of each lab that runs on a GPU, and every solution of the lab that
runs nowhere else. Prints a table with the card's name and torch's version, and writes it to var/bench/gpu_check.json.

Leaves with 0 where all passed, 1 where one failed or there was no time for it, 2 where there is no CUDA device.
"""

from __future__ import annotations

import argparse
import sys
import time
from typing import Any

from bench.results import ROOT, machine, save, show

PATHS = ("tests/gpu", "tests/grader/test_lab_offload.py")
"""Where tests marked `gpu` are; a test compares this with the suite. The first come first."""

LONGEST_S = 90
"""Seconds for one check; no lab has more than 90."""


class Noting:
    """A pytest plugin that notes each check's end, and begins none once the time is up."""

    def __init__(self, seconds: float) -> None:
        self.deadline = time.monotonic() + seconds
        self.rows: list[dict[str, Any]] = []
        self.collected = 0

    def pytest_collection_finish(self, session: Any) -> None:
        self.collected = len(session.items)

    def pytest_runtest_logstart(self, nodeid: str, location: Any) -> None:
        self.began = time.monotonic()

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.when == "call" or not report.passed:
            seconds = time.monotonic() - self.began
            said = "" if report.passed else str(report.longrepr)[-300:]
            self.rows.append({"check": short(report.nodeid), "outcome": report.outcome, "s": seconds, "said": said})

    def pytest_runtest_protocol(self, item: Any) -> None:
        if time.monotonic() > self.deadline:
            item.session.shouldstop = "the time is up"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=230, help="begin no check after so many (230)")
    options = parser.parse_args()
    began = time.monotonic()
    import torch

    from grader import devices

    if missing := devices.missing("cuda"):
        print(f"No GPU check was run. {missing} This torch is {torch.__version__}.", file=sys.stderr)
        return 2
    import pytest

    card = torch.cuda.get_device_name()
    noting = Noting(options.seconds - LONGEST_S / 2)
    arguments = ["-q", "-m", "gpu", "-p", "no:cacheprovider", "--timeout", str(LONGEST_S), "--rootdir", str(ROOT)]
    status = int(pytest.main([*arguments, *(str(ROOT / path) for path in PATHS)], plugins=[noting]))
    rows = [[row["check"], row["outcome"], f"{row['s']:.1f}"] for row in noting.rows]
    show(f"{card}, torch {torch.__version__}, CUDA {torch.version.cuda}", ["check", "outcome", "s"], rows)
    passed = sum(row["outcome"] == "passed" for row in noting.rows)
    print(f"\n{passed} of {noting.collected} checks passed in {time.monotonic() - began:.0f} s")
    if len(noting.rows) < noting.collected:
        print(f"{noting.collected - len(noting.rows)} were not begun: the time was up.")
    save("gpu_check", machine() | {"card": card, "cuda": torch.version.cuda}, {"checks": noting.rows})
    return 0 if status == 0 and passed == noting.collected > 0 else 1


def short(nodeid: str) -> str:
    """Write a test's id as a check's name: "test_meter: bytes and flops repeat to the unit[plain]"."""
    path, _, name = nodeid.partition("::")
    words, bracket, chosen = name.removeprefix("test_").partition("[")
    return f"{path.rpartition('/')[2].removesuffix('.py')}: {words.replace('_', ' ')}{bracket}{chosen}"


if __name__ == "__main__":
    sys.exit(main())
