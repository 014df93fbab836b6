"""The untrusted side: runs in the sandbox, imports the learner's module, runs and meters what the judge asks for.

It holds no reference, no target, and no seed before its case is played. Everything that it says is a claim:
the judge recomputes the results and reads this process's memory from outside.

Messages (JSON bodies of `grader.wire`):
  compiler {}                                                → {compiler}   (torch's, for a source that may use it)
  load   {harness, entry_points, forbid} + tensor "source"  → {loaded} | {refused, message, traceback} | {crashed, …}
  warm   {case}                                              → {armed} | {crashed, …}   (a whole update, thrown away)
  case   {case, measure}                                     → {prepared} | {crashed, …}
  go     {}                                                  → {ran} | {crashed, …}
  report {}                                                  → {values, metered} + tensors
  times  {case, pairs}                                      → {seconds} | {crashed, …}
"""

from __future__ import annotations

import linecache
import sys
import traceback
import types
from dataclasses import asdict
from typing import Any

import torch

from grader import compiler, heap, meter, wire
from grader.program import Program, build
from grader.sandbox.inside import Channel, lock_down

FILENAME = "submission.py"
MAX_TEXT = 8_000


class Subject:
    """The state of one sandbox's life: one harness, one submission, one case at a time."""

    def __init__(self, channel: Channel) -> None:
        self.channel = channel
        self.harness = types.ModuleType("harness")
        self.entry: dict[str, Any] = {}
        self.program: Program | None = None
        self.metered: meter.Metered | None = None
        self.measure = False
        self.device = "cpu"
        self.holes = heap.Holes()
        self.waiting: bytes | None = None

    def serve(self) -> None:
        """Answer the judge's messages until it hangs up."""
        while (message := self._next_message()) is not None:
            if (reply := self.reply(*wire.decode(message))) is not None:
                self.channel.send(*reply)

    def reply(self, body: dict[str, Any], tensors: dict[str, torch.Tensor]) -> list[bytes | memoryview] | None:
        """Return the answer in parts, None where it has been given already."""
        try:
            answer = self.answer(body, tensors)
            sys.stdout.flush()
            sys.stderr.flush()
            return None if answer is None else wire.parts(*answer)
        except BaseException as error:  # an output that cannot be sent, a stdout that the learner replaced
            return wire.parts(crash(error))

    def _next_message(self) -> bytes | None:
        message, self.waiting = self.waiting, None
        return self.channel.receive() if message is None else message

    def _ended(self) -> None:
        """Say that the update has ended, and let the judge look before the meter takes memory to work it out."""
        self.channel.send(*wire.parts({"ran": True}))
        self.waiting = self.channel.receive()
        self.holes.open()

    def answer(self, body: dict[str, Any], tensors: dict[str, torch.Tensor]) -> tuple[dict[str, Any], Any] | None:
        try:
            match body["op"]:
                case "compiler":
                    compiler.load()
                    return {"compiler": True}, None
                case "load":
                    return self.load(body, tensors["source"].numpy().tobytes()), None
                case "warm":
                    return self.warm(body["case"]), None
                case "case":
                    return self.prepare(body["case"], body["measure"]), None
                case "go":
                    return self.go()
                case "report":
                    return self.report()
                case "times":
                    return self.times(body["case"], body["pairs"]), None
                case other:
                    raise ValueError(f"unknown message {other!r}")
        except BaseException as error:  # a learner's SystemExit or KeyboardInterrupt ends a case, not the process
            self.waiting = None  # what the judge asks for after the update gets this for an answer
            return crash(error), None

    def load(self, body: dict[str, Any], source: bytes) -> dict[str, Any]:
        sys.modules["harness"] = self.harness  # before it runs: a dataclass looks its own module up
        code = compile(body["harness"], "harness.py", "exec", dont_inherit=True)
        exec(code, self.harness.__dict__)  # ours, sent by the judge
        for name in body["forbid"]:
            _forbid(name)
        lock_down()
        try:
            text = source.decode("utf-8-sig")
            linecache.cache[FILENAME] = (len(text), None, text.splitlines(keepends=True), FILENAME)
            code = compile(text, FILENAME, "exec", dont_inherit=True)
        except (SyntaxError, ValueError) as error:
            where = f"line {error.lineno}: " if isinstance(error, SyntaxError) and error.lineno else ""
            message = f"This is not a Python module: {where}{getattr(error, 'msg', None) or error}."
            return {"refused": "not_a_module", "message": message, "traceback": _syntax_text(error)}
        module = types.ModuleType("submission")
        module.__file__ = FILENAME
        sys.modules["submission"] = module
        exec(code, module.__dict__)
        missing = [name for name in body["entry_points"] if not callable(module.__dict__.get(name))]
        if missing:
            return {"refused": "entry_point", "message": "", "missing": missing, "traceback": ""}
        self.entry = {name: module.__dict__[name] for name in body["entry_points"]}
        return {"loaded": True}

    def warm(self, case: dict[str, Any]) -> dict[str, Any]:
        """Run a whole update and throw it away: first-use workspaces are not the learner's. Its seed is another one."""
        self.program = self.metered = None
        _run(build(self.harness, case, self.entry))
        heap.settle()
        return {"armed": True}

    def prepare(self, case: dict[str, Any], measure: bool) -> dict[str, Any]:
        self.program = self.metered = None
        self.holes.open()
        self.measure = measure
        self.device = case.get("device", "cpu")
        self.program = build(self.harness, case, self.entry)
        if measure:
            heap.settle()
            self.holes.close()
        return {"prepared": True}

    def go(self) -> tuple[dict[str, Any], Any] | None:
        assert self.program is not None
        if self.measure:
            self.metered = meter.run(self.program, self.device, ended=self._ended)
            return None
        _run(self.program)
        return {"ran": True}, None

    def report(self) -> tuple[dict[str, Any], dict[str, torch.Tensor]]:
        assert self.program is not None
        values, tensors = wire.split(self.program.observe())
        self.program = None
        metered = self.metered.to_json() if self.metered else None
        return {"values": values, "metered": metered}, tensors

    def times(self, case: dict[str, Any], pairs: int) -> dict[str, Any]:
        """Time the update against the plain one, in turn, with an ordinary malloc."""
        heap.keep_what_is_freed()
        seconds = meter.times(
            lambda: build(self.harness, case, self.entry),
            lambda: build(self.harness, case, self.harness.PLAIN),
            pairs=pairs,
            device=case.get("device", "cpu"),
        )
        return {"seconds": asdict(seconds)}


def crash(error: BaseException) -> dict[str, Any]:
    """Describe what the learner's code raised: their own frames only, and one line that names the error."""
    own = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename == FILENAME]
    lines = [f"  line {frame.lineno}, in {frame.name}\n    {frame.line}\n" for frame in own]
    text = f"{type(error).__name__}: {error}"[:MAX_TEXT]
    kind = "out_of_memory" if _is_out_of_memory(error) else "crashed"
    return {
        "crashed": kind,
        "error": text,
        "line": own[-1].lineno if own else None,
        "traceback": ("Your code, most recent call last:\n" + "".join(lines) + text)[-MAX_TEXT:] if own else text,
    }


def main() -> None:
    """Warm torch and the meter, say so, and serve."""
    channel = Channel.take()
    torch.set_num_threads(1)
    compiler.put_off()
    meter.warm()
    channel.send(wire.encode({"ready": True}))
    Subject(channel).serve()


def _run(program: Program) -> None:
    for _, phase in program.phases:
        phase()


def _forbid(name: str) -> None:
    """Make a module unusable, with a sentence that says why."""
    parent, _, leaf = name.rpartition(".")
    module = types.ModuleType(name)

    def refuse(attribute: str) -> Any:
        raise ImportError(f"this lab asks you to do without {name}: write it yourself ({attribute} is not available)")

    module.__getattr__ = refuse  # type: ignore[method-assign]
    sys.modules[name] = module
    if parent in sys.modules:
        setattr(sys.modules[parent], leaf, module)


def _is_out_of_memory(error: BaseException) -> bool:
    return isinstance(error, MemoryError | torch.OutOfMemoryError) or (
        isinstance(error, RuntimeError) and "can't allocate memory" in str(error)
    )


def _syntax_text(error: BaseException) -> str:
    return "".join(traceback.format_exception_only(error))[:MAX_TEXT]


if __name__ == "__main__":
    main()
