"""Pay every first-use cost before anything is measured."""

from __future__ import annotations

import ctypes
import gc
import importlib
import os
from pathlib import Path

# Both libraries read these when they are first used; setting them after that does nothing, and harms nothing.
os.environ.setdefault("KINETO_LOG_LEVEL", "99")
os.environ.setdefault("TORCH_CPP_LOG_LEVEL", "ERROR")

import torch

_FLAG = "FLAGS_caffe2_report_cpu_memory_usage"
_done = False


def warm() -> None:
    """Prepare this process for `run`: exact absolute totals, one intra-op thread, profiler and optimisers loaded.

    Call it once, before any tensor that matters exists: blocks allocated earlier are unknown to the reporter, and
    their release inside a metered update would go unseen. Later calls return at once. Takes about a second (building
    an optimiser imports some 68 MiB, and the first profile costs up to two seconds where kineto has devices to find).
    """
    global _done
    torch.set_num_threads(1)
    if _done:
        return
    _done = True
    _report_cpu_memory()
    importlib.import_module("torch.utils.checkpoint")
    importlib.import_module("torch.utils.flop_counter")
    _one_update()
    # What torch has loaded is a million objects that every collection would walk (0.4 s). They are here to stay.
    gc.collect()
    gc.freeze()


def _report_cpu_memory() -> None:
    """Make the CPU allocator keep an account of every block, whether or not a profiler is running."""
    library = next((Path(torch.__file__).parent / "lib").glob("libc10.*"), None)
    if library is None:
        raise RuntimeError(f"libc10 is not beside {torch.__file__}: reinstall torch from its wheel")
    try:
        ctypes.c_bool.in_dll(ctypes.CDLL(str(library)), _FLAG).value = True
    except ValueError as missing:
        raise RuntimeError(f"{library} has no {_FLAG}: the meter was written for torch 2.13") from missing


def _one_update() -> None:
    from grader.meter.measuring import run
    from grader.program import Program

    model = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.ReLU())
    optimiser = torch.optim.AdamW(model.parameters())
    x_BD = torch.ones(2, 4)
    losses: list[torch.Tensor] = []
    run(
        Program(
            phases=[
                ("forward", lambda: losses.append(model(x_BD).sum())),
                ("backward", lambda: losses[0].backward()),
                ("optimiser", optimiser.step),
            ],
            observe=dict,
            modules=model,
            inputs=[x_BD],
            optimiser=optimiser,
        )
    )
