"""The peers as their users call them for one submission, in an environment of their own (`requirements.lock`).

They import the same version of torch as the grader, from that environment. What a course prepares once (an autograder
zip, an assignment in a gradebook) is prepared before anything is timed.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from bench.peers import formats
from bench.results import ROOT
from grader.catalog import Lab
from headroom import install

EXERCISE, SLUG = ROOT / "bench" / "peers" / "exercise", "rms-norm"
VENV = ROOT / "var" / "peers"
OTTER_ZIP = "otter generate -t tests -o autograder.zip --no-config --no-requirements --no-environment"
POINTS = """
from nbgrader.api import Gradebook
with Gradebook("sqlite:///gradebook.db") as book:
    found = book.find_submission("rms", "someone")
    print(found.score / found.max_score)
"""


@dataclass(frozen=True)
class Peer:
    """A grader: how its course is written and prepared, the command for one submission, the share of points given."""

    name: str
    write: Callable[[Lab, Path, str], None]
    prepare: str
    command: str
    points: Callable[[Path], float]


PEERS = (
    Peer(
        "pytest",
        formats.for_pytest,
        "",
        "python -m pytest -q --junitxml=report.xml",
        lambda folder: 0.0 if "<failure" in (folder / "report.xml").read_text() else 1.0,
    ),
    Peer(
        "otter-grader",
        formats.for_otter,
        OTTER_ZIP,
        "otter run -a autograder.zip submission.ipynb",
        lambda folder: otter_points(json.loads((folder / "results.json").read_text())),
    ),
    Peer(
        "nbgrader",
        formats.for_nbgrader,
        "nbgrader generate_assignment rms",
        "nbgrader autograde rms --student someone --force",
        lambda folder: float(call(folder, ["python", "-c", POINTS]).stdout),
    ),
)


def installed() -> None:
    """Make the peers' environment, unless it is there. Raises install.CannotInstall."""
    install.ensure(ROOT / "bench" / "peers" / "requirements.lock", VENV)


def prepared(peer: Peer, lab: Lab, folder: Path, source: str) -> None:
    """Write a course with one submission into the empty `folder`, ready for the peer's command."""
    folder.mkdir()
    peer.write(lab, folder, source)
    if peer.prepare:
        call(folder, peer.prepare.split()).check_returncode()


def graded(peer: Peer, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run the peer's command on the submission in `folder`."""
    return call(folder, peer.command.split())


def call(folder: Path, command: list[str]) -> subprocess.CompletedProcess[str]:
    paths = f"{VENV / 'bin'}{os.pathsep}{os.environ['PATH']}"
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "DJANGO"))}
    # by path: a PATH of the environment is not searched for the program itself
    return subprocess.run(
        [str(VENV / "bin" / command[0]), *command[1:]],
        cwd=folder, env=environment | {"PATH": paths}, capture_output=True, text=True, check=False,
    )  # fmt: skip


def otter_points(results: dict[str, list[dict[str, float]]]) -> float:
    tests = [test for test in results["tests"] if "max_score" in test]
    return sum(test["score"] for test in tests) / sum(test["max_score"] for test in tests)
