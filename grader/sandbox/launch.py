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
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from grader.sandbox import bwrap, seccomp
from grader.sandbox.cgroup import Cgroup
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
_BOOT = """
import runpy, sys
sys.path.insert(0, sys.argv.pop(1))
from grader.sandbox import inside
inside.guard()
runpy.run_module(sys.argv.pop(1), run_name="__main__", alter_sys=True)
"""

T = TypeVar("T")


@dataclass(frozen=True)
class Order:
    """What to start: see `Sandbox.start`."""

    module: str
    args: Sequence[str]
    files: Mapping[str, Path]
    environment: Mapping[str, str]
    limits: Limits
    mode: str
    nodes: Sequence[str] = ()


@dataclass(frozen=True)
class Started:
    """A running process and our ends of its pipes."""

    popen: subprocess.Popen[bytes]
    process: Process
    requests: int
    results: int
    output: int
    folder: str | None = None  # mode "none": where the files were copied
    cgroup: Cgroup | None = None

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


def start(order: Order) -> Started:
    """Start the process that `order` describes. Raises Unavailable, with what bubblewrap said."""
    if sys.platform != "linux":
        raise Unavailable("Submissions can only be run on Linux: sandbox and measurements are the Linux kernel's.")
    requests_in, requests = os.pipe()
    results, results_in = os.pipe()
    output, output_in = os.pipe()
    environment = {
        **bwrap.ENVIRONMENT,
        **order.environment,
        REQUESTS: str(requests_in),
        RESULTS: str(results_in),
    }
    order = replace(order, files={**OWN_FILES, **order.files}, environment=environment)
    cgroup = Cgroup.create(order.limits)
    pipes = {"stdin": subprocess.DEVNULL, "stdout": output_in, "stderr": output_in, "start_new_session": True}
    try:
        if order.mode == "bwrap":
            popen, process, folder = *_in_bubblewrap(order, pipes, [requests_in, results_in], cgroup), None
        else:
            popen, process, folder = _plainly(order, pipes, [requests_in, results_in], cgroup)
    except BaseException as error:
        _close(output_in, requests)  # without a writer on it, whatever still starts inside ends by itself
        said = os.read(output, 1 << 16).decode(errors="replace").strip() if isinstance(error, Unavailable) else ""
        _close(results, output, requests_in, results_in)
        if cgroup:
            cgroup.remove()
        if said:
            raise Unavailable(said) from error
        raise
    _close(requests_in, results_in, output_in)
    return Started(popen, process, requests, results, output, folder, cgroup)


def _in_bubblewrap(
    order: Order, pipes: dict[str, Any], keep: list[int], cgroup: Cgroup | None
) -> tuple[subprocess.Popen[bytes], Process]:
    try:
        code = _readable(seccomp.program(strict=False))
    except seccomp.Unsupported as error:
        raise Unavailable(str(error)) from error
    info, info_in = os.pipe()
    block, go = os.pipe()
    try:
        line = bwrap.command(
            [sys.executable, "-I", "-c", _BOOT, bwrap.ROOT, order.module, *order.args],
            files=order.files,
            environment=order.environment,
            nodes=order.nodes,
            tmpfs_bytes=order.limits.tmpfs_bytes,
            descriptors=bwrap.Descriptors(code, info_in, block),
        )
        popen = spawn(lambda: subprocess.Popen(line, pass_fds=(*keep, code, info_in, block), env={}, cwd="/", **pipes))
    except OSError as error:
        _close(info, go)
        raise Unavailable(f"bubblewrap could not be started: {error}") from error
    except BaseException:
        _close(info, go)
        raise
    finally:
        _close(code, info_in, block)
    with os.fdopen(info, "rb") as reader, os.fdopen(go, "wb") as release:
        told = reader.read()  # empty when bubblewrap gave up
        try:
            process = Process(json.loads(told)["child-pid"])
            _restrict(process, order.limits, cgroup)
        except (ValueError, KeyError, Gone, OSError) as error:
            popen.kill()
            popen.wait()
            raise Unavailable(f"bubblewrap could not set up the sandbox ({error!r})") from error
        release.write(b"g")
    return popen, process


def _plainly(
    order: Order, pipes: dict[str, Any], keep: list[int], cgroup: Cgroup | None
) -> tuple[subprocess.Popen[bytes], Process, str]:
    folder = tempfile.mkdtemp(prefix="headroom-")
    for inside, outside in order.files.items():
        target = Path(folder, inside)
        target.parent.mkdir(parents=True, exist_ok=True)
        if outside.is_dir():
            shutil.copytree(outside, target, dirs_exist_ok=True)
        else:
            shutil.copyfile(outside, target)
    environment = {**order.environment, "HOME": folder, "TMPDIR": folder}
    line = [sys.executable, "-I", "-c", _BOOT, folder, order.module, *order.args]
    popen = spawn(lambda: subprocess.Popen(line, pass_fds=keep, env=environment, cwd=folder, **pipes))
    try:
        process = Process(popen.pid)
        with suppress(ProcessLookupError):
            _restrict(process, order.limits, cgroup)
    except (Gone, OSError) as error:
        popen.kill()
        popen.wait()
        shutil.rmtree(folder, ignore_errors=True)
        raise Unavailable(f"the process could not be limited ({error})") from error
    return popen, process, folder


def _readable(content: bytes) -> int:
    """Return a descriptor from which a short content (at most a pipe's 64 KiB) can be read."""
    fd, fd_in = os.pipe()
    os.write(fd_in, content)
    os.close(fd_in)
    return fd


def _close(*fds: int) -> None:
    for fd in fds:
        os.close(fd)


def _restrict(process: Process, limits: Limits, cgroup: Cgroup | None) -> None:
    """Put a process under its limits, or end it: one that bubblewrap has started outlives bubblewrap for a moment."""
    try:
        _limit(process.pid, limits)
        if cgroup:
            cgroup.add(process.pid)
    except OSError:
        process.kill()
        process.close()
        raise


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
