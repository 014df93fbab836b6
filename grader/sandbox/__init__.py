"""Run untrusted code where it can reach nothing, with limits, watched from outside. Imports no torch."""

from grader.sandbox.ends import Ended, Garbled, OutOfMemory, Reason, SandboxError, TimedOut, TooLong, Unavailable
from grader.sandbox.limits import Limits
from grader.sandbox.probe import Probe, available
from grader.sandbox.process import Sandbox

__all__ = [
    "Ended",
    "Garbled",
    "Limits",
    "OutOfMemory",
    "Probe",
    "Reason",
    "Sandbox",
    "SandboxError",
    "TimedOut",
    "TooLong",
    "Unavailable",
    "available",
]
