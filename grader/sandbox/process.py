"""One sandbox: a process that can be talked to over two pipes, is watched, and ends with its whole tree."""

from __future__ import annotations

import logging
import os
import select
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType

from grader.sandbox import launch
from grader.sandbox.cgroup import Cgroup
from grader.sandbox.ends import Ended, Garbled, Reason, TooLong, ended
from grader.sandbox.inside import HEADER, MAGIC
from grader.sandbox.kernel import Process
from grader.sandbox.limits import Limits
from grader.sandbox.output import Output
from grader.sandbox.watch import Watch

log = logging.getLogger(__name__)

READ = 1 << 20


class Sandbox:
    """A process in a sandbox. Use it once, and as a context manager: leaving it kills whatever still runs.

    `process` reads the kernel's figures (`grader.sandbox.kernel.Process`); `cgroup` too, where there is one;
    `mode` is "bwrap" or "none".
    It belongs to one thread at a time; only `cancel` may be called from another.
    """

    def __init__(self, started: launch.Started, limits: Limits, mode: str) -> None:
        self.mode = mode
        self.limits = limits
        self.process: Process = started.process
        self.cgroup: Cgroup | None = started.cgroup
        self._started = started
        self._buffer = bytearray()
        self._end: Ended | None = None
        self._eof = False
        self._printed = Output(started.output, limits.output_bytes)
        self._watch = Watch(started.process, limits, isolated=mode == "bwrap")
        log.info("A sandbox starts.", extra={"sandbox": self.process.pid})

    @classmethod
    def start(
        cls,
        module: str,
        *,
        args: Sequence[str] = (),
        files: Mapping[str, Path] | None = None,
        environment: Mapping[str, str] | None = None,
        limits: Limits | None = None,
        mode: str = "bwrap",
        nodes: Sequence[str] = (),
    ) -> Sandbox:
        """Start `python -m module args` in a new sandbox.

        files        path inside (relative, on sys.path) → file or folder outside; `module` must be among them.
                     `grader/__init__.py` and `grader.sandbox.inside` are always there.
        environment  added to `bwrap.ENVIRONMENT`.
        nodes        names below /dev that it may use beside the three that are always there: a GPU's.
        mode         "bwrap", or "none": an ordinary process with resource limits, for local mode only.

        Raises Unavailable where no sandbox can be started, with a sentence that says why.
        """
        if mode not in ("bwrap", "none"):
            raise ValueError(f'mode is "bwrap" or "none", not {mode!r}')
        limits = limits or Limits()
        order = launch.Order(module, args, files or {}, environment or {}, limits, mode, nodes)
        return cls(launch.start(order), limits, mode)

    def __enter__(self) -> Sandbox:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.kill()

    @property
    def output(self) -> str:
        """What was printed on stdout and stderr so far: whole lines up to the limit, hidden characters made visible."""
        return self._printed.read()[0]

    @property
    def dropped_bytes(self) -> int:
        """How many printed bytes were dropped."""
        return self._printed.read()[1]

    @property
    def alive(self) -> bool:
        """Whether the process still runs."""
        return self._end is None and not self.process.ended()

    def restart_clocks(self, *, wall_seconds: float, cpu_seconds: float) -> None:
        """Count both times from now, for a sandbox that waited ready. Raises what `receive` raises if it has ended."""
        if not self.alive:
            raise self._finish(None)
        self._watch.restart_clocks(wall_seconds, cpu_seconds)

    def send(self, payload: bytes) -> None:
        """Send one message. Raises Ended (or TimedOut, OutOfMemory) when the process is not there to read it."""
        if self._end is not None:
            raise self._end
        view = memoryview(HEADER.pack(MAGIC, len(payload)) + payload)
        try:
            while view:
                view = view[os.write(self._started.requests, view) :]
        except BrokenPipeError:
            raise self._finish(None) from None

    def ready(self, seconds: float) -> bool:
        """Wait at most so long; say whether `receive` would now answer (or raise) at once."""
        return self._wait_for_message(time.monotonic() + seconds)

    def receive(self, timeout: float) -> bytes:
        """Return the next message.

        Raises TimedOut when it does not come within `timeout` seconds or a clock ran out, OutOfMemory, TooLong,
        Garbled, or Ended with the exit status or signal. After any of these the process is gone.
        """
        if not self._wait_for_message(time.monotonic() + timeout):
            raise self._finish(Reason.WALL)
        if self._eof:
            raise self._finish(None)
        magic, length = HEADER.unpack_from(self._buffer)
        if magic != MAGIC:
            self._finish(Reason.MESSAGE)
            raise Garbled("The result pipe carried something that is no message of the grader's.")
        if length > self.limits.message_bytes:
            self._finish(Reason.MESSAGE)
            raise TooLong(f"A message of {length} bytes; at most {self.limits.message_bytes} are allowed.")
        payload = bytes(memoryview(self._buffer)[HEADER.size : HEADER.size + length])
        del self._buffer[: HEADER.size + length]
        return payload

    def unread(self) -> int:
        """Return how many bytes wait on the result pipe beyond what was received: an honest subject leaves none."""
        if self._end is None and not self._eof and self._readable(0):
            self._read_some()
        return len(self._buffer)

    def kill(self) -> None:
        """End the whole tree and reap it. Harmless when done twice, or after the process ended by itself."""
        self._finish(Reason.KILLED)

    def cancel(self) -> None:
        """Kill the process from another thread; the one that uses the sandbox sees `Ended` with reason KILLED."""
        self._watch.end(Reason.KILLED)

    def _wait_for_message(self, until: float) -> bool:
        while not (self._complete() or self._eof or self._end):
            if not self._readable(max(0.0, until - time.monotonic())):
                return False
            self._read_some()
        return True

    def _readable(self, seconds: float) -> bool:
        poll = select.poll()  # not select(): a busy worker may have more than 1024 descriptors
        poll.register(self._started.results, select.POLLIN)
        return bool(poll.poll(seconds * 1000))

    def _read_some(self) -> None:
        chunk = os.read(self._started.results, READ)
        self._buffer += chunk
        self._eof = not chunk

    def _complete(self) -> bool:
        """Say whether the buffer holds a whole message, or the beginning of one that must be refused."""
        if len(self._buffer) < HEADER.size:
            return False
        magic, length = HEADER.unpack_from(self._buffer)
        return magic != MAGIC or length > self.limits.message_bytes or len(self._buffer) >= HEADER.size + length

    def _finish(self, reason: Reason | None) -> Ended:
        """End the process (None: it has ended by itself, or is about to), and return how it ended."""
        if self._end is not None:
            return self._end
        # A result pipe that closes is nearly always the process's end; one that was closed on purpose is its end too.
        if reason is None and not self.process.wait(1.0):
            reason = Reason.MESSAGE
        alone = self.process.ended()
        self._watch.close()
        status = self._started.stop()
        starved = self.cgroup is not None and self.cgroup.out_of_memory()
        if self.cgroup is not None:
            self.cgroup.remove()
        self._printed.finish(2.0)
        for fd in (self._started.requests, self._started.results):
            os.close(fd)
        self.process.close()
        reason = self._watch.reason or (None if alone else reason)
        if starved:
            reason = Reason.MEMORY
        if reason is None:
            reason = Reason.EXITED if status >= 0 else Reason.SIGNALLED
        log.info("A sandbox has ended: %s.", reason.value, extra={"sandbox": self.process.pid})
        self._end = ended(reason, status if status >= 0 else None, -status if status < 0 else None)
        return self._end
