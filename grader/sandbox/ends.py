"""How a sandbox can end, as exceptions. `Unavailable` is our fault; all the others are about the submission."""

from __future__ import annotations

import signal
from enum import StrEnum


class Reason(StrEnum):
    """What ended the process, as far as can be told from outside."""

    EXITED = "exited"
    SIGNALLED = "signalled"
    MEMORY = "memory"
    CPU = "cpu"
    WALL = "wall"
    THREADS = "threads"
    PROCESSES = "processes"
    FILES = "files"
    MESSAGE = "message"
    KILLED = "killed"


class SandboxError(Exception):
    """Base of everything this package raises."""


class Unavailable(SandboxError):
    """No sandbox can be started here; the text says what is missing and what to set."""


class Ended(SandboxError):
    """The process ended without the reply that was waited for.

    exit_status  its status, None when a signal ended it. bubblewrap reports signal n as 128 + n, so a status above
                 128 that the submission chose itself is read as a signal.
    signal       the signal's number, or None.
    """

    def __init__(self, reason: Reason, exit_status: int | None, signal_number: int | None) -> None:
        self.reason = reason
        self.exit_status = exit_status
        self.signal = signal_number
        super().__init__(_sentence(reason, exit_status, signal_number))


class TimedOut(Ended):
    """Processor time or time on the wall ran out (`reason` says which), or a reply did not come in time."""


class OutOfMemory(Ended):
    """The process went over its memory limit."""


class TooLong(SandboxError):
    """The process sent a message longer than `Limits.message_bytes`; it has been killed."""


class Garbled(SandboxError):
    """The bytes on the result pipe are no message of ours: something else wrote there. It has been killed."""


def ended(reason: Reason, exit_status: int | None, signal_number: int | None) -> Ended:
    """Return the exception of the right class."""
    kind = {Reason.MEMORY: OutOfMemory, Reason.CPU: TimedOut, Reason.WALL: TimedOut}.get(reason, Ended)
    return kind(reason, exit_status, signal_number)


def _sentence(reason: Reason, exit_status: int | None, signal_number: int | None) -> str:
    match reason:
        case Reason.EXITED:
            return f"The process left with exit status {exit_status} before it answered."
        case Reason.SIGNALLED:
            return f"The process was ended by {_signal_name(signal_number)}."
        case Reason.MEMORY:
            return "The process went over its memory limit."
        case Reason.CPU:
            return "The process used up its processor time."
        case Reason.WALL:
            return "The process ran out of time."
        case Reason.THREADS:
            return "The process started more threads than are allowed."
        case Reason.PROCESSES:
            return "The process started another process."
        case Reason.FILES:
            return "The process made more files than are allowed."
        case Reason.MESSAGE:
            return "The process closed the result pipe, or wrote on it what is no message of the grader's."
        case Reason.KILLED:
            return "The process was ended by the grader."


def _signal_name(number: int | None) -> str:
    try:
        return signal.Signals(number or 0).name
    except ValueError:
        return f"signal {number}"
