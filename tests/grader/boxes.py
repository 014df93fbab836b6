"""Real sandboxes for the tests of them; none needs torch."""

from __future__ import annotations

import dataclasses
import sys
import textwrap
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from grader.sandbox import (
    Limits,
    Sandbox,
    available,
)
from tests.support import required

NEEDED = pytest.mark.skipif(not available().ok and not required("sandbox"), reason=available().why)

IN_TMP = pytest.mark.skipif(
    str(Path(sys.prefix).resolve()).startswith("/tmp/") or sys.prefix.startswith("/tmp/"),
    reason="this checkout lies below /tmp, so the mount points of its own Python are in the sandbox's /tmp",
)

MIB = 2**20
PRELUDE = """
import ctypes, errno, mmap, os, signal, socket, subprocess, sys, threading, time
from grader.sandbox.inside import Channel, lock_down
channel = Channel.take()
libc = ctypes.CDLL(None, use_errno=True)

def tried(action):
    "The name of the error that the action raised, else what it returned."
    try:
        return repr(action())
    except OSError as error:
        return errno.errorcode[error.errno]
    except Exception as error:
        return type(error).__name__

def call(number, *args):
    "Make a raw system call; the error's name or the answer."
    answer = libc.syscall(ctypes.c_long(number), *[ctypes.c_long(arg) for arg in args])
    return errno.errorcode[ctypes.get_errno()] if answer == -1 else str(answer)

def reply(text):
    channel.send(str(text).encode())
"""


def starting(tmp_path: Path) -> Iterator[Callable[..., Sandbox]]:
    """Give what starts a sandbox that runs the given code; all of them are killed at the end."""
    boxes = []

    def start(code: str, *, mode: str = "bwrap", environment=None, **limits) -> Sandbox:
        script = tmp_path / f"work{len(boxes)}.py"
        script.write_text(PRELUDE + textwrap.dedent(code))
        chosen = dataclasses.replace(Limits(wall_seconds=20, cpu_seconds=20), **limits)
        box = Sandbox.start("work", files={"work.py": script}, environment=environment, limits=chosen, mode=mode)
        boxes.append(box)
        return box

    yield start
    for box in boxes:
        box.kill()


def wait_for(condition, seconds: float = 10) -> None:
    until = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < until, "waited in vain"
        time.sleep(0.01)


def answer(box: Sandbox) -> str:
    try:
        return box.receive(20).decode()
    finally:
        sys.stdout.write(box.output)  # shown by pytest where a test fails
