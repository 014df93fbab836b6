"""Run the code blocks of a page, and compare what they print with what the page says they print."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from .problems import Problem
from .scan import Code

LIMIT_S = 60
_MARK = "\x1e--- what follows is the output of the last block ---\x1e"
ROOT = Path(__file__).resolve().parents[2]


def run_blocks(path: Path, blocks: list[Code]) -> list[Problem]:
    """Run each block in a process of its own (one that continues: after those before it) and return what differs."""
    problems: list[Problem] = []
    before: list[str] = []
    for block in blocks:
        if not block.continues:
            before = []
        problems += _run(path, block, before)
        before.append(block.source)
    return problems


def _run(path: Path, block: Code, before: list[str]) -> list[Problem]:
    program = "\n".join([*before, f"print({_MARK!r}, flush=True)", block.source])
    shown = "" if block.output is None else block.output.strip()
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "block.py").write_text(program, "utf-8")
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
                timeout=LIMIT_S,
                stdin=subprocess.DEVNULL,
            )
        except subprocess.TimeoutExpired:
            return [Problem(path, block.line, f"this code ran for more than {LIMIT_S} s", "make its sizes smaller")]
    if done.returncode != 0:
        last = (done.stderr.strip().split("\n") or [""])[-1]
        return [Problem(path, block.line, f"this code fails: {last}", "make it run, or drop `run` from its first line")]
    printed = done.stdout.partition(_MARK)[2].strip()
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
