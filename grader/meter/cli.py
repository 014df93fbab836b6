"""`python -m grader meter FILE`: meter any training step of one's own, no lab needed.

FILE is a Python module that defines one of

    def step():           # one whole update: forward, backward and, if you like, the optimiser
    def program():        # returns a fresh grader.program.Program each time it is called

A step is cut into forward, backward and optimiser by where autograd is running. Modules and the optimiser are found
among the module's globals (`model = ...`, `optimiser = ...`) and give tensors their names and kinds. One update runs
unmetered first, so that what only a first update does (an optimiser's state, for instance) is not counted, and the
gradients that it leaves are dropped; `--first` meters the first update as it comes.

    --json          print everything as JSON instead of the table
    --svg PATH      write the memory timeline as a picture
    --png PATH      write the same picture as PNG (needs Pillow)
    --device cuda   count the GPU allocator's blocks rather than the CPU's
    --first         meter the first update, without a warm-up

Exit status: 0 metered, 1 the step raised, 2 wrong usage.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

from grader import timeline
from grader.program import Program


class _Usage(Exception):
    """The command was used wrongly; the message says how, and what to do."""


def main_meter(argv: list[str]) -> int:
    """Run the command with its arguments (without "meter") and return its exit status."""
    parser = argparse.ArgumentParser(
        "python -m grader meter", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("file", type=Path, metavar="FILE")
    parser.add_argument("--json", action="store_true", help="print everything as JSON")
    parser.add_argument("--svg", type=Path, metavar="PATH", help="write the memory timeline as SVG")
    parser.add_argument("--png", type=Path, metavar="PATH", help="write the same picture as PNG (needs Pillow)")
    parser.add_argument("--device", choices=["cpu", "cuda"], default="cpu")
    parser.add_argument("--first", action="store_true", help="meter the first update, without a warm-up")
    try:
        options = parser.parse_args(argv)
    except SystemExit as stop:
        return 2 if stop.code else 0
    try:
        return _meter(options)
    except _Usage as wrong:
        sys.stderr.write(f"{wrong}\n")
        return 2


def _meter(options: argparse.Namespace) -> int:
    if not options.file.is_file():
        raise _Usage(f"{options.file} is not a file: name a Python module that defines step() or program().")
    if options.png:
        try:
            timeline.png({})  # paints nothing: what is missing is said before the step runs
        except timeline.CannotPaint as missing:
            raise _Usage(str(missing)) from None
    # Imported late, so that wrong usage and --help need no torch, and warm before FILE makes its first tensor.
    import torch

    from grader import meter
    from grader.meter.report import report

    if options.device == "cuda" and not torch.cuda.is_available():
        raise _Usage("--device cuda: torch finds no CUDA device here. Leave the option out to meter the CPU.")
    meter.warm()
    try:
        make = _maker(_load(options.file))
        if not options.first:
            _warm_up(make())
        metered = meter.run(make(), device=options.device)
    except _Usage:
        raise
    except Exception:  # the metered file is anybody's: its own traceback is the answer
        traceback.print_exc()
        sys.stderr.write(f"{options.file} raised, so nothing was metered: the traceback above says where.\n")
        return 1
    runs = {"yours": metered.timeline}
    if options.svg:
        options.svg.write_text(timeline.svg(runs, peak=metered.peak, standalone=True), encoding="utf-8")
    if options.png:
        options.png.write_bytes(timeline.png(runs, peak=metered.peak))
    sys.stdout.write(json.dumps(metered.to_json(), indent=1) + "\n" if options.json else report(metered))
    return 0


def _warm_up(program: Program) -> None:
    import torch

    for _, function in program.phases:
        function()
    # Gradients that live before the update and are freed in it would lower every figure by their size.
    if isinstance(program.modules, torch.nn.Module):
        for parameter in program.modules.parameters():
            parameter.grad = None


def _load(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise _Usage(f"{path} is not a Python module: its name must end in .py.")
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(path.resolve().parent))
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def _maker(module: ModuleType) -> Callable[[], Program]:
    program, step = getattr(module, "program", None), getattr(module, "step", None)
    if callable(program):
        return program
    if not callable(step):
        raise _Usage(f"{module.__file__} defines neither step() nor program(): add one, see --help.")
    import torch

    found = {name: value for name, value in vars(module).items() if isinstance(value, torch.nn.Module)}
    modules = next(iter(found.values())) if len(found) == 1 else torch.nn.ModuleDict(found)
    optimiser = next((value for value in vars(module).values() if isinstance(value, torch.optim.Optimizer)), None)
    return lambda: Program([("step", step)], dict, modules=modules, optimiser=optimiser)
