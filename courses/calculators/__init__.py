"""Pure calculators over typed inputs with units: one implementation for lesson, question, quiz, page, API and lab.

A calculator is one file in this folder with a `CALCULATOR`; nothing else is edited to add one. No Django, no torch.
"""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

from courses.calculators.contract import Calculator, Field, Figure, InputError, Result

__all__ = ["Calculator", "Field", "Figure", "InputError", "Result", "all_calculators", "get"]


@cache
def _found() -> dict[str, Calculator]:
    found: dict[str, Calculator] = {}
    for module_info in pkgutil.iter_modules(__path__):
        module = importlib.import_module(f"{__name__}.{module_info.name}")
        calculator = getattr(module, "CALCULATOR", None)
        if calculator is None:
            continue
        if calculator.id != module_info.name.replace("_", "-"):
            raise ValueError(f"{module.__file__} holds the calculator {calculator.id!r}: name the file after its id.")
        found[calculator.id] = calculator
    return found


def all_calculators() -> list[Calculator]:
    """Return every calculator, by title."""
    return sorted(_found().values(), key=lambda calculator: calculator.title)


def get(calculator_id: str) -> Calculator:
    """Return one calculator. Raises KeyError with the known ids for an unknown one."""
    try:
        return _found()[calculator_id]
    except KeyError:
        raise KeyError(f"no calculator {calculator_id!r}; there are {', '.join(sorted(_found()))}") from None
