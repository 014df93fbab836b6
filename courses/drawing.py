"""Draw calculators with the site's one template, for their own pages and for the pages that hold them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from django.template.loader import render_to_string

from courses.authoring.links import ADDRESSES
from courses.calculators import Calculator, InputError, Result


def context(
    calculator: Calculator, inputs: Mapping[str, str], *, prefix: str = "", own_page: bool = False
) -> dict[str, Any]:
    """Compute with what was typed, and return what templates/components/calculator.html shows."""
    result: Result | None = None
    errors: dict[str, str] = {}
    try:
        result = calculator.compute(inputs)
    except InputError as error:
        errors = error.errors
    address = ADDRESSES["calculator"].format(calculator.id)
    return {
        "calculator": calculator,
        "action": address,
        "share": f"{address}?{urlencode(inputs)}" if inputs else address,
        "rows": [
            {
                "field": field,
                "value": _shown(inputs.get(field.name, field.default)),
                "error": errors.get(field.name, ""),
            }
            for field in calculator.fields
        ],
        "result": result,
        "errors": errors,
        "prefix": prefix,
        "own_page": own_page,
    }


def embedded(calculator: Calculator, inputs: Mapping[str, str], prefix: str) -> str:
    """Return the HTML of a calculator inside a page."""
    return render_to_string("components/calculator.html", {"calc": context(calculator, inputs, prefix=prefix)})


def _shown(value: Any) -> str:
    """Write a default as someone would type it: 1e12, where Python writes thirteen digits and `.0`."""
    if isinstance(value, float) and abs(value) >= 1e7:
        short = f"{value:g}".replace("e+", "e")
        return short if float(short) == value else str(value)
    return "" if value is None else str(value)
