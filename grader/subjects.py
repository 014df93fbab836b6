"""Start a subject: the sandbox with torch, the meter and the subject's loop in it, and nothing of the judge's."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path

from grader.sandbox import Limits, Sandbox, Unavailable, available

PACKAGE = Path(__file__).resolve().parent

INSIDE = ("compiler.py", "heap.py", "program.py", "wire.py", "subject.py", "verdict.py", "timeline", "meter")
"""The grader's files that the sandbox sees; the judge, the references and the labs' folders are not among them."""


def _digest() -> str:
    """Name the present content of what the sandbox will be given."""
    paths = [path for name in INSIDE for path in sorted((PACKAGE / name).rglob("*.py")) or [PACKAGE / name]]
    return hashlib.sha256(b"".join(path.read_bytes() for path in paths)).hexdigest()


_LOADED = _digest()


CUDA_NODES = ("nvidiactl", "nvidia-uvm", "nvidia-uvm-tools", *(f"nvidia{number}" for number in range(16)))
"""The driver's files below /dev. A sandbox sees those that are there, and only when it is started for a GPU."""

CUDA_OPEN_FILES = 512
"""The driver opens its files many times over."""


def ready(mode: str) -> str:
    """Return the mode that a subject would be started in: "bwrap" or "none".

    mode   "bwrap"; "none", a plain process for code that its owner trusts; or "auto": the first where it works here,
           else the second. Raises Unavailable, with a sentence that says what to do, where none can be started.
    """
    if mode == "auto":
        mode = "bwrap" if available().ok else "none"
    elif mode == "bwrap" and not (probe := available()).ok:
        raise Unavailable(probe.why)
    if _digest() != _LOADED:
        # Judge and subject would speak two versions, and the submission would be blamed for what the new one says.
        raise Unavailable("The grader's files have changed since this process started: restart the worker.")
    return mode


def start(mode: str, limits: Limits, device: str = "cpu") -> Sandbox:
    """Start a subject and return its sandbox; torch is still being imported when this returns.

    mode   as in `ready`, which raises what it does
    device "cuda" shows the sandbox the GPU's files, which the driver needs; "cpu" none of them
    """
    mode = ready(mode)
    files = {f"grader/{name}": PACKAGE / name for name in INSIDE}
    nodes: tuple[str, ...] = ()
    if device == "cuda":
        nodes = tuple(name for name in CUDA_NODES if Path("/dev", name).exists())
        limits = replace(limits, open_files=max(limits.open_files, CUDA_OPEN_FILES))
    return Sandbox.start("grader.subject", files=files, limits=limits, mode=mode, nodes=nodes)
