"""Put torch's compiler off until somebody asks for it.

An optimiser's step, `torch.utils.checkpoint` and every dispatch mode import `torch._dynamo` to tell the compiler to
stay away. That takes as long as torch itself, in every sandbox, where hardly anything is ever compiled.
"""

from __future__ import annotations

import importlib
import importlib.util
import re
import sys
import types
from pathlib import Path
from typing import Any

import torch

NAME = "torch._dynamo"
CONFIG = f"{NAME}.config"

SYMBOLS = "torch.fx.experimental.symbolic_shapes"
"""Half of the compiler: 40 MB that `backward(gradient)` imports too, and that nobody's update shall be blamed for."""

WORDS = re.compile(
    rb"\b(compile\w*|func|functorch|_?dynamo|_?inductor|export|fx|make_fx|jit|flex_attention|profiler)\b"
)
"""What a source names that needs the compiler, or may: too many cost a second, one too few makes its memory theirs."""


def wanted(source: bytes) -> bool:
    """Say whether a submission may ask for the compiler."""
    return WORDS.search(source) is not None


def put_off() -> None:
    """Stand in for the compiler with what running uncompiled needs of it. Call it before anything has imported it."""
    if NAME in sys.modules:
        return
    stand_in = _StandIn(NAME)
    sys.modules[NAME] = torch._dynamo = stand_in
    path = Path(torch.__file__).parent / "_dynamo" / "config.py"
    spec = importlib.util.spec_from_file_location(CONFIG, path)
    assert spec and spec.loader
    config = stand_in.config = sys.modules[CONFIG] = importlib.util.module_from_spec(spec)  # type: ignore[attr-defined]
    spec.loader.exec_module(config)
    importlib.import_module(SYMBOLS)


def load() -> types.ModuleType:
    """Import the compiler itself, in the stand-in's place if there is one."""
    if isinstance(sys.modules.get(NAME), _StandIn):
        del sys.modules[NAME], sys.modules[CONFIG], torch._dynamo
    return importlib.import_module(NAME)


class _StandIn(types.ModuleType):
    """The module before it is imported. Anything but these two is answered by the compiler itself."""

    @staticmethod
    def graph_break(msg: str = "") -> None:
        pass

    @staticmethod
    def disable(fn: Any = None, recursive: bool = True, *, reason: str | None = None, wrapping: bool = True) -> Any:
        return fn if fn is not None else lambda function: function

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name != "__path__":
            raise AttributeError(name)  # what inspection asks of any module
        return getattr(load(), name)
