"""Start the process of a sandbox: in bubblewrap, or plainly where local mode says so."""

from __future__ import annotations

import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from grader.sandbox import bwrap, seccomp
from grader.sandbox.ends import Unavailable
from grader.sandbox.inside import REQUESTS, RESULTS
from grader.sandbox.kernel import Gone, Process
from grader.sandbox.limits import Limits

PACKAGE = Path(__file__).resolve().parent
OWN_FILES = {
    "grader/__init__.py": PACKAGE.parent / "__init__.py",
    "grader/sandbox/inside.py": PACKAGE / "inside.py",
    "grader/sandbox/seccomp.py": PACKAGE / "seccomp.py",
}
"""The part of this package that the inside needs; its `__init__` stays outside, with all that it imports."""

# -I leaves the current folder and the user's own packages out of sys.path; ours is put there by hand.
_BOOT = "import runpy, sys; sys.path.insert(0, sys.argv.pop(1)); runpy.run_module(sys.argv.pop(1), run_name='__main__')"

T = TypeVar("T")


@dataclass
class Started:
    """A running process and our ends of its pipes."""

    popen: subprocess.Popen[bytes]
    process: Process
    requests: int
    results: int
    output: int
    folder: str | None = None
    closed: bool = field(default=False, init=False)

    def stop(self) -> int:
        """Kill the whole tree, reap it and return the exit status (negative: the signal)."""
        self.process.kill()
        if self.folder is not None:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self.popen.pid, signal.SIGKILL)
        try:
            # bubblewrap sees its child end and leaves with its status.
            status = self.popen.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self.popen.kill()
            status = self.popen.wait()
        if self.folder is not None:
            shutil.rmtree(self.folder, ignore_errors=True)
        elif status > 128:
            status = 128 - status
        return status


def start(
    module: str,
    args: Sequence[str],
    files: Mapping[str, Path],
    environment: Mapping[str, str],
    limits: Limits,
    mode: str,
) -> Started:
    """Start `python -m module args` with the given files, in mode "bwrap" or "none". Raises Unavailable."""
    files = {**OWN_FILES, **files}
    environment = {**bwrap.ENVIRONMENT, **environment}
    requests_in, requests = os.pipe()
    results, results_in = os.pipe()
    output, output_in = os.pipe()
    environment |= {REQUESTS: str(requests_in), RESULTS: str(results_in)}
    give = {
        "stdin": subprocess.DEVNULL,
        "stdout": output_in,
        "stderr": output_in,
        "close_fds": True,
        "cwd": "/",
        "env": environment,
        "start_new_session": True,
    }
    launch = _in_bubblewrap if mode == "bwrap" else _plainly
    try:
        started = launch(
            [sys.executable, "-I", "-c", _BOOT],
            [module, *args],
            files,
            environment,
            limits,
            give,
            (requests_in, results_in),
        )
    except BaseException as error:
        os.close(output_in)
        said = os.read(output, 1 << 16).decode(errors="replace").strip() if isinstance(error, Unavailable) else ""
        for fd in (requests, results, output, requests_in, results_in):
            os.close(fd)
        if said:
            raise Unavailable(f"{error}: {said}") from error
        raise
    for fd in (requests_in, results_in, output_in):
        os.close(fd)
    started.requests, started.results, started.output = requests, results, output
    return started


def _in_bubblewrap(
    python: list[str],
    args: list[str],
    files: Mapping[str, Path],
    environment: Mapping[str, str],
    limits: Limits,
    give: dict[str, Any],
    pipes: tuple[int, int],
) -> Started:
    code, code_in = os.pipe()
    info, info_in = os.pipe()
    block, go = os.pipe()
    try:
        os.write(code_in, seccomp.program(strict=False))  # 2 KB: fits into a pipe
        os.close(code_in)
        line = bwrap.command(
            [*python, bwrap.ROOT, *args],
            files=files,
            environment=environment,
            tmpfs_bytes=limits.tmpfs_bytes,
            descriptors=bwrap.Descriptors(code, info_in, block),
        )
        popen = spawn(lambda: subprocess.Popen(line, pass_fds=(*pipes, code, info_in, block), **{**give, "env": {}}))
    except (OSError, seccomp.Unsupported) as error:
        os.close(go)
        os.close(info)
        raise Unavailable(f"bubblewrap could not be started: {error}") from error
    finally:
        for fd in (code, info_in, block):
            os.close(fd)
    with os.fdopen(info, "rb") as reader, os.fdopen(go, "wb") as release:
        told = reader.read()
        try:
            process = Process(json.loads(told)["child-pid"])
            _limit(process.pid, limits)
        except (ValueError, KeyError, Gone, ProcessLookupError, PermissionError) as error:
            popen.kill()
            popen.wait()
            raise Unavailable("bubblewrap could not set up the sandbox") from error
        release.write(b"g")
    return Started(popen, process, -1, -1, -1)


def _plainly(
    python: list[str],
    args: list[str],
    files: Mapping[str, Path],
    environment: Mapping[str, str],
    limits: Limits,
    give: dict[str, Any],
    pipes: tuple[int, int],
) -> Started:
    folder = tempfile.mkdtemp(prefix="headroom-")
    for inside, outside in files.items():
        target = Path(folder, inside)
        target.parent.mkdir(parents=True, exist_ok=True)
        if outside.is_dir():
            shutil.copytree(outside, target, dirs_exist_ok=True)
        else:
            shutil.copyfile(outside, target)
    home = {"HOME": folder, "TMPDIR": folder}
    give = {**give, "cwd": folder, "env": {**environment, **home}}
    popen = spawn(lambda: subprocess.Popen([*python, folder, *args], pass_fds=pipes, **give))
    process = Process(popen.pid)
    with suppress(ProcessLookupError):
        _limit(popen.pid, limits)
    return Started(popen, process, -1, -1, -1, folder)


def _limit(pid: int, limits: Limits) -> None:
    """Set the resource limits from outside, soft and hard alike, before the submission is there to see them."""
    wanted = {
        resource.RLIMIT_DATA: limits.memory_bytes,
        # The watch comes first; this one holds if the watcher dies, and leaves room for a restart of the clocks.
        resource.RLIMIT_CPU: 2 * int(limits.cpu_seconds) + 30,
        resource.RLIMIT_FSIZE: limits.file_bytes,
        resource.RLIMIT_NOFILE: limits.open_files,
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_MSGQUEUE: 0,
        resource.RLIMIT_SIGPENDING: 256,
    }
    for kind, value in wanted.items():
        _, hard = resource.prlimit(pid, kind)
        value = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.prlimit(pid, kind, (value, value))


_spawner: ThreadPoolExecutor | None = None


def spawn(popen: Callable[[], T]) -> T:
    """Call `popen` in one thread that lives as long as this process.

    `--die-with-parent` asks the kernel for a signal when the *thread* that started bubblewrap ends; started from a
    short-lived thread, a sandbox would die with that thread.
    """
    global _spawner
    if _spawner is None:
        _spawner = ThreadPoolExecutor(1, "sandbox-spawner")
    return _spawner.submit(popen).result()


def _forget_spawner() -> None:
    global _spawner
    _spawner = None


os.register_at_fork(after_in_child=_forget_spawner)  # threads do not survive a fork
