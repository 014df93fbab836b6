"""The judge's end of the conversation with one subject. Everything received is checked before it is used."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any, TypeVar

import torch

from grader import claims, wire
from grader.meter import Metered
from grader.program import Case
from grader.runs import Crash, Outside
from grader.sandbox import Sandbox, SandboxError
from grader.sandbox.kernel import Gone

MAX_TEXT = 8_000
MAX_NAME = 200
LONGEST_SECONDS = 1e6

T = TypeVar("T")


class Tampering(Exception):
    """The subject's process said something that our code in it never says."""


class Cancelled(Exception):
    """The person who submitted asked to stop."""


class NotReady(Exception):
    """The sandbox failed before it held anything of the learner's: our fault."""


class Refused(Exception):
    """The submission is not a module, or lacks an entry point."""

    def __init__(self, message: str, traceback: str) -> None:
        super().__init__(message)
        self.traceback = traceback


class Crashed(Exception):
    """The learner's code raised."""

    def __init__(self, crash: Crash) -> None:
        super().__init__(crash.error)
        self.crash = crash


class Session:
    """One sandbox with one submission in it."""

    def __init__(self, box: Sandbox, cancelled: Callable[[], bool] | None = None) -> None:
        self.box = box
        self.cancelled = cancelled or (lambda: False)
        self.deadline = math.inf
        self.ready_bytes = 0

    def wait_ready(self, timeout: float, with_compiler: bool = False) -> None:
        """Wait until torch is imported and the meter is warm. Raises NotReady: until here only our code has run.

        `with_compiler` has torch's compiler imported too, before anything is measured.
        """
        self._greeted("ready", timeout)
        if with_compiler:
            self.send({"op": "compiler"})
            self._greeted("compiler", timeout)
        try:
            self.ready_bytes = self.box.process.resident_bytes()
        except Gone as error:
            raise NotReady(f"the sandbox ended before it was used: {error}") from error

    def _greeted(self, word: str, timeout: float) -> None:
        try:
            body, _ = wire.decode(self.box.receive(timeout))
        except (SandboxError, wire.WireError) as error:
            raise NotReady(f"the sandbox did not become ready: {error}\n{self.box.output}") from error
        if body != {word: True}:
            raise NotReady(f"the sandbox did not say {word!r}")

    def start_clock(self, seconds: float) -> None:
        """Give the submission so much time on the wall, and as much of one core, from now."""
        self.box.restart_clocks(wall_seconds=seconds, cpu_seconds=seconds)
        self.deadline = time.monotonic() + seconds

    def finish(self) -> None:
        """Make sure that nothing more was said than was asked. Raises Tampering."""
        if self.box.unread():
            raise Tampering("there was more on it than was asked for")

    def load(self, harness: str, source: bytes, entry_points: tuple[str, ...], forbid: list[str]) -> None:
        """Import the submission. Raises Refused or Crashed."""
        message = {"op": "load", "harness": harness, "entry_points": list(entry_points), "forbid": forbid}
        raw = torch.frombuffer(bytearray(source), dtype=torch.uint8)
        body, _ = self._ask(message, {"source": raw})
        if "refused" in body:
            missing = " and ".join(f"{name}()" for name in entry_points)
            text = _text(body.get("message")) or f"After the module ran, it defines no callable {missing}."
            raise Refused(text, _text(body.get("traceback")))
        if body != {"loaded": True}:
            raise Tampering("the answer to `load` is not one of ours")

    def arm(self, case: Case, measure: bool, warm_seed: int = 0) -> None:
        """Let the subject begin while the judge computes what is right: `run` follows. Raises Crashed.

        A case that is not measured starts at once. A measured one has a whole update run first, from another seed:
        its own is not sent here, since from the moment it is known, everything is measured, so that nothing can be
        computed from it before.
        """
        if measure:
            self.send({"op": "warm", "case": {**case, "seed": warm_seed}})
        else:
            self.send({"op": "case", "case": case, "measure": False})
            self._expect("prepared")
            self.send({"op": "go"})

    def run(self, case: Case, measure: bool) -> tuple[dict[str, Any], Metered | None, Outside | None]:
        """Play the armed case; return what was observed, the metered claim, and what the kernel saw. Raises Crashed."""
        process = self.box.process
        armed = preparing = prepared = running = ended = 0
        began = 0.0
        if measure:
            self._expect("armed")
            armed, began = self._from_outside(process.resident_bytes), self._from_outside(process.cpu_seconds)
            self._from_outside(process.reset_high_water)
            self.send({"op": "case", "case": case, "measure": True})
            self._expect("prepared")
            preparing = self._from_outside(process.high_water_bytes)
            prepared = self._from_outside(process.resident_bytes)
            self._from_outside(process.reset_high_water)
            self.send({"op": "go"})
        self._expect("ran")
        if measure:
            running = self._from_outside(process.high_water_bytes)
            ended = self._from_outside(process.resident_bytes)
            self._from_outside(process.reset_high_water)
        body, tensors = self._ask({"op": "report"})
        values = body.get("values")
        if body.keys() != {"values", "metered"} or not isinstance(values, dict) or values.keys() & tensors.keys():
            raise Tampering("the report has the wrong form")
        if len(values) > wire.MAX_TENSORS or not all(
            len(n) <= MAX_NAME and n.isprintable() for n in (*values, *tensors)
        ):
            raise Tampering("it names results as our harness never does")
        values = {name: _plain(value) for name, value in values.items()}
        if not measure:
            return {**values, **tensors}, None, None
        outside = Outside(
            ready=self.ready_bytes,
            armed=armed,
            preparing=preparing,
            prepared=prepared,
            running=running,
            ended=ended,
            reporting=self._from_outside(process.high_water_bytes),
            cpu_seconds=self._from_outside(process.cpu_seconds) - began,
        )
        try:
            metered = claims.metered(body["metered"], refused=values.get("refusal") is not None)
        except (ValueError, KeyError, TypeError) as error:
            raise Tampering(f"the metered figures have the wrong form: {error}") from None
        return {**values, **tensors}, metered, outside

    def times(self, case: Case, pairs: int) -> dict[str, float]:
        """Return paired step times; shown, never judged."""
        body, _ = self._ask({"op": "times", "case": case, "pairs": pairs})
        seconds = body.get("seconds")
        names = ("median", "low", "high", "ratio")
        # JSON has no infinity, and yet 1e400 is read as one.
        if not isinstance(seconds, dict) or not all(
            isinstance(seconds.get(name), float) and 0 <= seconds[name] < LONGEST_SECONDS for name in names
        ):
            raise Tampering("the times have the wrong form")
        return {name: float(seconds[name]) for name in names}

    def send(self, body: dict[str, Any], tensors: dict[str, torch.Tensor] | None = None) -> None:
        self.box.send(wire.encode(body, tensors))

    def _ask(
        self, body: dict[str, Any], tensors: dict[str, torch.Tensor] | None = None
    ) -> tuple[dict[str, Any], dict[str, torch.Tensor]]:
        self.send(body, tensors)
        return self._answer()

    def _expect(self, word: str) -> None:
        body, _ = self._answer()
        if body != {word: True}:
            raise Tampering(f"expected {word!r}: the answer is not one of ours")

    def _answer(self) -> tuple[dict[str, Any], dict[str, torch.Tensor]]:
        body, tensors = wire.decode(self._receive())
        if "crashed" in body:
            line = body.get("line")
            raise Crashed(
                Crash(
                    error=_text(body.get("error")) or "an error without a text",
                    line=line if isinstance(line, int) and 0 < line < 10**6 else None,
                    traceback=_text(body.get("traceback")),
                    kind="out_of_memory" if body["crashed"] == "out_of_memory" else "crashed",
                )
            )
        return body, tensors

    def _from_outside(self, read: Callable[[], T]) -> T:
        """Ask the kernel about the process; if it is gone, raise how it ended."""
        try:
            return read()
        except Gone:
            while True:
                self.box.receive(0)

    def _receive(self) -> bytes:
        """Wait for the next message until the deadline; look twice a second whether anybody still wants it."""
        while True:
            if self.cancelled():
                raise Cancelled
            left = self.deadline - time.monotonic()
            if left <= 0.5 or self.box.ready(0.5):
                return self.box.receive(max(0.0, left))


def _plain(value: Any) -> Any:
    """Return one observed value: a text for display, a small int, a bool or None. Raises Tampering for others."""
    if isinstance(value, str):
        return _text(value)
    if value is None or (isinstance(value, int) and abs(value) < 2**62):
        return value
    raise Tampering("it sends a value of a kind that our harness never does")


def _text(value: Any) -> str:
    """Return untrusted text for display: bounded, and without control characters but newline and tab."""
    if not isinstance(value, str):
        return ""
    return "".join(c if c.isprintable() or c in "\n\t" else f"\\x{ord(c):02x}" for c in value[:MAX_TEXT])
