"""Start a subject: the sandbox with torch, the meter and the subject's loop in it, and nothing of the judge's."""

from __future__ import annotations

from pathlib import Path

from grader.sandbox import Limits, Sandbox, Unavailable, available

PACKAGE = Path(__file__).resolve().parent

INSIDE = ("program.py", "wire.py", "subject.py", "verdict.py", "timeline", "meter")
"""The grader's files that the sandbox sees; the judge, the references and the labs' folders are not among them."""


def start(mode: str, limits: Limits) -> Sandbox:
    """Start a subject and return its sandbox; torch is still being imported when this returns.

    mode   "bwrap"; "none", a plain process for code that its owner trusts; or "auto": the first where it works here,
           else the second. Raises Unavailable, with a sentence that says what to set, and ValueError.
    """
    if mode == "auto":
        mode = "bwrap" if available().ok else "none"
    elif mode == "bwrap" and not (probe := available()).ok:
        raise Unavailable(probe.why)
    files = {f"grader/{name}": PACKAGE / name for name in INSIDE}
    return Sandbox.start("grader.subject", files=files, limits=limits, mode=mode)
