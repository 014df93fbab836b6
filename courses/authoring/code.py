"""Run the code blocks of pages, and compare what they print with what the pages say they print.

Blocks that go on from one another are one program, run once; programs run side by side, one a processor. What they
print depends on the project's code and on torch too, so nothing is kept from one check to the next.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from .problems import Problem
from .scan import Code

LIMIT_S = 60  # of a processor; on the clock five times that, so that a busy machine fails no page
PATIENCE = 5
MOST_AT_ONCE = 8
_MARK = "\x1e--- what follows is the output of the next block ---\x1e"
ROOT = Path(__file__).resolve().parents[2]


def run_blocks(path: Path, blocks: list[Code]) -> list[Problem]:
    """Run the blocks of one page, and return what differs."""
    return run_pages([(path, blocks)])


def run_pages(pages: Iterable[tuple[Path, list[Code]]]) -> list[Problem]:
    """Run the blocks of pages, and return what differs, in the order of the pages and of their blocks."""
    programs = [(path, program) for path, blocks in pages for program in _programs(blocks)]
    with ThreadPoolExecutor(min(os.cpu_count() or 1, MOST_AT_ONCE)) as pool:
        return [problem for found in pool.map(lambda each: _check(*each), programs) for problem in found]


def _programs(blocks: list[Code]) -> list[list[Code]]:
    """Part the blocks of a page into those that go on from one another."""
    programs: list[list[Code]] = []
    for block in blocks:
        if block.continues and programs:
            programs[-1].append(block)
        else:
            programs.append([block])
    return programs


def _check(path: Path, program: list[Code]) -> list[Problem]:
    """Run a program whole; where it does not end well, run up to each of its blocks to say which."""
    done = _run(program)
    printed = done.stdout.split(_MARK)[1:] if done else []
    if done and done.returncode == 0 and len(printed) == len(program):
        return [
            problem for block, text in zip(program, printed, strict=True) for problem in _compare(path, block, text)
        ]
    return [problem for count in range(1, len(program) + 1) for problem in _last(path, program[:count])]


def _last(path: Path, program: list[Code]) -> list[Problem]:
    """Run a program, and return what is wrong with its last block."""
    block, done = program[-1], _run(program)
    if done is None:
        return [Problem(path, block.line, f"this code ran for more than {LIMIT_S} s", "make its sizes smaller")]
    if done.returncode != 0:
        last = (done.stderr.strip().split("\n") or [""])[-1]
        return [Problem(path, block.line, f"this code fails: {last}", "make it run, or drop `run` from its first line")]
    return _compare(path, block, [*done.stdout.split(_MARK, len(program)), ""][len(program)])


def _run(program: list[Code]) -> subprocess.CompletedProcess[str] | None:
    """Run the blocks of a program after one another in one process; None if they take too long."""
    lines = [f'__import__("resource").setrlimit(__import__("resource").RLIMIT_CPU, ({LIMIT_S}, {LIMIT_S + 5}))']
    for block in program:
        lines += [f"print({_MARK!r}, flush=True)", block.source]
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "block.py").write_text("\n".join(lines), "utf-8")
        try:
            done = subprocess.run(
                [sys.executable, "block.py"],
                cwd=folder,
                env={
                    "PATH": os.environ.get("PATH", ""),
                    "PYTHONPATH": str(ROOT),
                    "PYTHONHASHSEED": "0",
                    "HOME": folder,
                    "OMP_NUM_THREADS": "1",
                    "PYTHONIOENCODING": "utf-8",
                    "PYTHONDONTWRITEBYTECODE": "1",
                },
                capture_output=True,
                text=True,
                timeout=PATIENCE * LIMIT_S,
                stdin=subprocess.DEVNULL,
            )
        except subprocess.TimeoutExpired:
            return None
    return None if done.returncode == -signal.SIGXCPU else done


def _compare(path: Path, block: Code, text: str) -> list[Problem]:
    printed, shown = text.strip(), "" if block.output is None else block.output.strip()
    if printed == shown:
        return []
    if block.output is None:
        return [
            Problem(
                path,
                block.line,
                "this code prints, and the page does not say what",
                f"add after it:\n```output\n{printed}\n```",
            )
        ]
    return [
        Problem(
            path,
            block.line,
            f"this code prints something else than the page says:\n{printed}",
            "put that into the ```output block, and look at the text around it",
        )
    ]
