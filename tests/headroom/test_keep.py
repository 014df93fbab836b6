"""The keeper: what dies comes back, what is stopped stays away, and nothing outlives it."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.support.process import alive, tied_to_us, until

ROOT = Path(__file__).resolve().parents[2]

# Writes its pid and that of a child of its own, then waits; ends on SIGTERM by itself.
COMMAND = """
import os, pathlib, subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
with open(sys.argv[1], "a") as log:
    log.write(f"{os.getpid()} {child.pid}\\n")
time.sleep(600)
"""


class Kept:
    """A keeper over COMMAND, started by a parent of its own that can be killed."""

    def __init__(self, log: Path, *command: str, keep_with: int | None = None) -> None:
        self.log = log
        environment = {**os.environ, "HEADROOM_KEEP_WITH": str(keep_with or "")}
        self.keeper = subprocess.Popen(
            [sys.executable, "-m", "headroom.keep", *(command or (sys.executable, "-c", COMMAND, str(log)))],
            cwd=ROOT,
            env=environment,
            stderr=subprocess.PIPE,
            text=True,
            **tied_to_us(),
        )

    def started(self) -> list[list[int]]:
        """Return [pid, child's pid] for each start so far."""
        lines = self.log.read_text().splitlines() if self.log.exists() else []
        return [[int(pid) for pid in line.split()] for line in lines]

    def wait_for(self, starts: int) -> list[int]:
        return until(lambda: len(self.started()) >= starts and self.started()[starts - 1])


@pytest.fixture
def kept(tmp_path: Path):
    kept = Kept(tmp_path / "log")
    yield kept
    kept.keeper.kill()
    kept.keeper.wait()


def all_dead(pids: list[int]) -> bool:
    return not any(alive(pid) for pid in pids)


def test_what_is_killed_comes_back_by_itself_and_leaves_nothing_behind(kept: Kept) -> None:
    first = kept.wait_for(1)
    os.kill(first[0], signal.SIGKILL)
    second = kept.wait_for(2)
    assert second[0] != first[0]
    assert alive(second[0])
    until(lambda: all_dead(first))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_stop_is_passed_on_and_ends_everything(kept: Kept, number: signal.Signals) -> None:
    pids = kept.wait_for(1)
    kept.keeper.send_signal(number)
    assert kept.keeper.wait(10) == 0
    until(lambda: all_dead(pids))
    assert len(kept.started()) == 1


def test_a_killed_keeper_takes_the_command_along(kept: Kept) -> None:
    pids = kept.wait_for(1)
    assert alive(pids[0])
    kept.keeper.kill()
    until(lambda: not alive(pids[0]))  # fails by itself when it does not come true


def test_it_stops_when_the_process_it_was_tied_to_is_killed(tmp_path: Path) -> None:
    companion = subprocess.Popen(["sleep", "600"], **tied_to_us())
    kept = Kept(tmp_path / "log", keep_with=companion.pid)
    pids = kept.wait_for(1)
    companion.kill()
    companion.wait()
    assert kept.keeper.wait(10) == 0
    until(lambda: all_dead(pids))


def test_it_does_not_start_beside_a_process_that_is_gone(tmp_path: Path) -> None:
    gone = subprocess.Popen(["true"])
    gone.wait()
    kept = Kept(tmp_path / "log", keep_with=gone.pid)
    assert kept.keeper.wait(10) == 0


def test_a_command_that_fails_at_once_is_tried_ever_more_slowly(tmp_path: Path) -> None:
    kept = Kept(tmp_path / "log", sys.executable, "-c", f"open({str(tmp_path / 'log')!r}, 'a').write('1\\n'); exit(7)")
    said = [kept.keeper.stderr.readline() for _ in range(4)]
    assert [line.split("ended with 7; ")[1] for line in said] == [
        "starting it again in 0.5 s.\n",
        "starting it again in 1 s.\n",
        "starting it again in 2 s.\n",
        "starting it again in 4 s.\n",
    ]
    began = time.monotonic()
    kept.keeper.terminate()
    assert kept.keeper.wait(10) == 0
    assert time.monotonic() - began < 3, "a stop does not wait for the pause"


def test_a_command_that_does_not_exist_is_said_once(tmp_path: Path) -> None:
    kept = Kept(tmp_path / "log", "no-such-command")
    assert kept.keeper.wait(10) == 127
    assert kept.keeper.stderr.read() == "keep: no-such-command cannot be started: No such file or directory.\n"
