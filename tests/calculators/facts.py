"""The published figures in tests/facts, and what "within printed rounding" means."""

from __future__ import annotations

from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

import yaml

FOLDER = Path(__file__).resolve().parent.parent / "facts"


@cache
def facts(name: str) -> Any:
    return yaml.safe_load((FOLDER / f"{name}.yaml").read_text())


def half_a_digit(printed: float) -> float:
    """Return half a unit of the last printed digit: 0.005 for 18.13, 0.05 for 31.4."""
    return float(Decimal(5).scaleb(int(Decimal(str(printed)).as_tuple().exponent) - 1))
