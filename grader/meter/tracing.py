"""Follow an update operator by operator, keeping no tensor alive: what ran, in which module, in a replay or not."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import torch
from torch._C._profiler import _RecordFunctionFast as Mark
from torch.nn.modules.module import register_module_forward_hook, register_module_forward_pre_hook
from torch.utils._python_dispatch import TorchDispatchMode

from grader.meter.flops import FORMULAS

OPERATOR_MARK = "headroom.operator "
PHASE_MARK = "headroom.phase "
BASE_MARK = "headroom.base"

NO_TASK = -1


@dataclass(slots=True)
class Operator:
    """One operator call. `phase` is an index; `outputs` maps a storage address to the (dtype, shape) put there."""

    name: str
    module: str
    phase: int
    in_backward: bool
    replay: bool
    outputs: dict[int, tuple[str, tuple[int, ...]]] = field(default_factory=dict)
    flops: int = 0


@dataclass(slots=True, frozen=True)
class _Known:
    name: str
    formula: Callable[..., Any] | None
    view: bool


class ModuleStack:
    """Which named module is running, by hooks on every forward, replays included.

    Each entry carries the autograd graph task that it was entered in: an entry made inside the running graph task
    is a replay, and an entry made before it is only where `backward` was called from.
    """

    def __init__(self, modules: Any) -> None:
        named = modules.named_modules() if isinstance(modules, torch.nn.Module) else ()
        self._names = {id(module): name for name, module in named}
        self._entries: list[tuple[int, str, int]] = []

    def current(self, task: int) -> str | None:
        """Return the module entered last in this graph task, or None if there is none."""
        if self._entries and self._entries[-1][2] == task:
            return self._entries[-1][1]
        return None

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Keep the stack for the time of the block."""
        handles = [
            register_module_forward_pre_hook(self._enter),
            register_module_forward_hook(self._leave, always_call=True),
        ]
        try:
            yield
        finally:
            for handle in handles:
                handle.remove()
            self._entries.clear()

    def _enter(self, module: torch.nn.Module, _args: Any) -> None:
        name = self._names.get(id(module))
        if name is None:  # an unnamed module (made on the way) belongs to the named one around it
            name = self._entries[-1][1] if self._entries else ""
        self._entries.append((id(module), name, torch._C._current_graph_task_id()))

    def _leave(self, module: torch.nn.Module, _args: Any, _result: Any) -> None:
        # A replay that stops early leaves by an exception; whatever it left above this entry goes with it.
        for position in range(len(self._entries) - 1, -1, -1):
            if self._entries[position][0] == id(module):
                del self._entries[position:]
                return


class Tracer(TorchDispatchMode):
    """Count FLOPs and mark every operator for the profiler, so that its allocations can be traced to it.

    It follows shapes and addresses only. An operator is in a *replay* when it runs inside an autograd graph task with
    gradients being recorded, or inside a module's forward that was entered in that task: both forms of torch's
    checkpoint do the first, a hand-written replay under `no_grad` the second. A backward with `create_graph=True`
    records gradients too and cannot be told from a replay.
    """

    def __init__(self, modules: Any = None) -> None:
        super().__init__()
        self.stack = ModuleStack(modules)
        self.operators: list[Operator] = []
        self.phase = 0
        self._known: dict[Any, _Known] = {}
        self._module_of_node: dict[int, str] = {}

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        known = self._known.get(func) or self._learn(func)
        if known.formula is None and torch.is_inference_mode_enabled():
            # Without autograd's keys composite operators arrive whole; count the products inside them.
            with self:
                out = func.decompose(*args, **kwargs) if hasattr(func, "decompose") else NotImplemented
            if out is not NotImplemented:
                return out
        module, in_backward, replay = self._place()
        if known.view:
            return func(*args, **kwargs)
        operator = Operator(known.name, module, self.phase, in_backward, replay)
        self.operators.append(operator)
        with Mark(f"{OPERATOR_MARK}{len(self.operators) - 1}"):
            out = func(*args, **kwargs)
        _note_outputs(operator.outputs, out)
        if known.formula is not None:
            operator.flops = int(known.formula(*args, **kwargs, out_val=out))
        return out

    def _learn(self, func: Any) -> _Known:
        packet = getattr(func, "_overloadpacket", func)
        name = str(func.name() if callable(getattr(func, "name", None)) else func)
        known = _Known(
            name=name.removeprefix("aten::").partition(".")[0],
            formula=FORMULAS.get(packet),
            view=bool(getattr(func, "is_view", False)),
        )
        self._known[func] = known
        return known

    def _place(self) -> tuple[str, bool, bool]:
        """Return (module, in backward, in a replay) of the operator about to run."""
        task = torch._C._current_graph_task_id()
        module = self.stack.current(task)
        replay = task != NO_TASK and (module is not None or torch.is_grad_enabled())
        if task == NO_TASK or replay:
            # The node of a recorded operator is made just before it runs: its number is the newest one.
            self._module_of_node.setdefault(torch.autograd._get_sequence_nr() - 1, module or "")
        if module is None and task != NO_TASK:
            node = torch._C._current_autograd_node()
            module = self._module_of_node.get(node._sequence_nr(), "") if node is not None else ""
        return module or "", task != NO_TASK, replay


def _note_outputs(outputs: dict[int, tuple[str, tuple[int, ...]]], out: Any) -> None:
    if isinstance(out, torch.Tensor):
        address = address_of(out)
        if address:
            outputs.setdefault(address, (str(out.dtype).removeprefix("torch."), tuple(out.shape)))
    elif isinstance(out, tuple | list):
        for item in out:
            _note_outputs(outputs, item)


def address_of(tensor: torch.Tensor) -> int:
    """Return the address of the tensor's storage, or 0 where it has none (sparse, meta, wrapper subclasses)."""
    try:
        return int(torch._C._data_address(tensor))  # type: ignore[attr-defined]  # unlike `data_ptr`, this does not make a lazy copy real
    except (RuntimeError, NotImplementedError):
        return 0
