"""The sandbox's part on the inside: the two pipes, and the lock before untrusted code runs.

Bound into the sandbox together with `seccomp.py`, without the rest of this package. Standard library only.
"""

from __future__ import annotations

import ctypes
import os
import select
import signal
import struct
import sys

from grader.sandbox import seccomp

HEADER = struct.Struct("<4sI")
MAGIC = b"hdrm"

REQUESTS, RESULTS = "HEADROOM_REQUESTS", "HEADROOM_RESULTS"
"""Environment variables with the numbers of the two pipes' descriptors."""


class Channel:
    """The subject's ends of the two pipes. A message is a header (magic, length) and that many bytes."""

    def __init__(self, requests: int, results: int) -> None:
        self._requests, self._results = requests, results

    @classmethod
    def take(cls) -> Channel:
        """Return the channel that the sandbox was started with, and forget where it was."""
        return cls(int(os.environ.pop(REQUESTS)), int(os.environ.pop(RESULTS)))

    def receive(self) -> bytes | None:
        """Wait for the judge's next message; None when there will be no more."""
        header = self._read(HEADER.size)
        if len(header) < HEADER.size:
            return None
        _, length = HEADER.unpack(header)
        return self._read(length)

    def send(self, *parts: bytes | memoryview) -> None:
        """Send one message, given in parts, to the judge. Nothing is copied: a copy would count as the learner's."""
        for part in (HEADER.pack(MAGIC, sum(len(part) for part in parts)), *parts):
            view = memoryview(part)
            while view:
                view = view[os.write(self._results, view) :]

    def _read(self, length: int) -> bytes:
        parts = bytearray()
        while len(parts) < length:
            part = os.read(self._requests, min(length - len(parts), 1 << 20))
            if not part:
                break
            parts += part
        return bytes(parts)


def guard() -> None:
    """Tie this process to the judge's, first thing. bubblewrap does so too, but not from its very first moment.

    A judge that died before bubblewrap's `--die-with-parent` took hold has left a request pipe without a writer; one
    that dies later is noticed by the kernel. In mode "none" the second half is asked for here (in bubblewrap it is
    in force already, and the filter refuses to change it).
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    poll = select.poll()
    poll.register(int(os.environ[REQUESTS]), 0)
    if poll.poll(0):
        os._exit(1)


_PR_SET_PDEATHSIG, _PR_SET_NO_NEW_PRIVS = 1, 38
_SECCOMP = {"x86_64": 317, "aarch64": 277}
_SET_FILTER, _ALL_THREADS = 1, 1


class _Filter(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("code", ctypes.c_char_p)]


def lock_down() -> None:
    """Load the strict filter into every thread, for good: from here on no `execve`, no new process, no socket.

    Call it after everything is imported and before untrusted code runs. Outside Linux it does nothing: only the
    sandbox mode "none" exists there. Raises OSError where the kernel refuses, and then nothing may be run.
    """
    if sys.platform != "linux":
        return
    code = seccomp.program(strict=True)
    argument = _Filter(len(code) // 8, code)
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "the kernel refused no_new_privs")
    # The call rather than prctl(PR_SET_SECCOMP): only it reaches the threads that already run.
    number = _SECCOMP[os.uname().machine]
    answer = libc.syscall(
        ctypes.c_long(number), ctypes.c_long(_SET_FILTER), ctypes.c_long(_ALL_THREADS), ctypes.byref(argument)
    )
    if answer != 0:
        raise OSError(ctypes.get_errno(), f"the kernel refused the system call filter (answer {answer})")
