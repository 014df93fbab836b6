"""The HTML of what is computed and measured: calculators and figures. One drawing serves lesson, question and page."""

from __future__ import annotations

import json
from collections.abc import Mapping
from html import escape
from typing import Any
from urllib.parse import urlencode

from courses.calculators import Calculator, Field, Figure, Result, units


def calculator_form(
    calculator: Calculator,
    inputs: Mapping[str, Any],
    result: Result | None,
    errors: Mapping[str, str] | None = None,
    *,
    titled: bool = True,
) -> str:
    """Draw a calculator with these inputs: a GET form that works without script and whose address shows the same again.

    `inputs` are as typed; a field without one shows its default. `errors` has a sentence by field.
    """
    errors = errors or {}
    address = f"/calculators/{calculator.id}/"
    link = f"{address}?{urlencode(inputs)}" if inputs else address
    heading = (
        f'<p class="kick"><a data-share href="{escape(link)}">{escape(calculator.title)}</a></p>' if titled else ""
    )
    share = "" if titled else f'<a data-share href="{escape(link)}">Link to these inputs</a>'
    fields = "".join(
        _field(field, inputs.get(field.name, field.default), errors.get(field.name)) for field in calculator.fields
    )
    return (
        f'<form class="calc" data-calculator="{calculator.id}" method="get" action="{address}"'
        f' aria-label="{escape(calculator.title)}">{heading}<div class="grid">{fields}</div>'
        f'<p class="actions"><button class="btn small">Compute</button>{share}</p>'
        f'<p class="error-text" data-trouble role="alert" hidden></p>'
        f'<div class="out" aria-live="polite" data-out>{_result(result)}</div></form>'
    )


def _field(field: Field, value: Any, error: str | None) -> str:
    name, label = field.name, escape(field.label)
    about = f'<small class="help">{escape(field.help)}</small>' if field.help else ""
    hidden = "" if error else " hidden"
    about += f'<small class="error-text" data-error-for="{name}" role="alert"{hidden}>{escape(error or "")}</small>'
    invalid = ' aria-invalid="true"' if error else ""
    if field.kind == "choice":
        options = "".join(
            f'<option value="{escape(key)}"{" selected" if str(value) == key else ""}>{escape(words)}</option>'
            for key, words in field.choices
        )
        control = f'<select name="{name}"{invalid}>{options}</select>'
    else:
        if field.unit not in ("", "fraction"):
            label += f' <span class="unit">{escape(field.unit)}</span>'
        shown = "" if value is None else escape(str(value))
        control = f'<input name="{name}" value="{shown}" autocomplete="off"{invalid}>'
    return f"<div><label>{label}{control}</label>{about}</div>"


def _result(result: Result | None) -> str:
    """Draw what a calculator answers: its figures, the formula with the numbers in it, and the three sentences."""
    figures = (
        ""
        if result is None
        else "".join(
            f'<li><b title="{escape(exact(figure))}">{escape(figure.display)}</b> {escape(figure.label)}</li>'
            for figure in result.figures
        )
    )
    rows = "".join(
        f'<p class="sub"{"" if words else " hidden"} data-row>{title}<span data-part="{part}">{escape(words)}</span></p>'
        for part, title, words in (
            ("formula", "", result.formula if result else ""),
            ("establishes", "<strong>What this establishes.</strong> ", result.establishes if result else ""),
            ("to_measure", "<strong>What you still have to measure.</strong> ", result.to_measure if result else ""),
            ("convention", "<strong>Convention.</strong> ", result.convention if result else ""),
        )
    )
    return f'<ul class="figures" data-figures>{figures}</ul>{rows}'


def exact(figure: Figure) -> str:
    """Return every digit of a figure, in its base unit."""
    unit = "" if figure.unit == "fraction" else figure.unit
    return f"{units.exact(figure.value)} {unit}".strip()


def measured_figure(ident: str, artefact: Mapping[str, Any], svg: str, caption: str) -> str:
    """Draw a measured figure: the picture, its numbers as a table, its caption (HTML) and where it was measured."""
    data = json.dumps(artefact["timelines"], separators=(",", ":")).replace("<", "\\u003c")
    rows = "".join(
        f'<tr><th scope="row">{escape(name.replace("_", " "))}</th><td class="r num">{escape(_plain(value))}</td></tr>'
        for name, value in artefact["numbers"].items()
    )
    source = f"Measured with torch {escape(str(artefact['torch']))}; <code>{escape(artefact['command'])}</code> measures it again."
    return (
        f'<figure class="measured" id="figure-{ident}" data-timeline>'
        f'<script type="application/json">{data}</script>{svg}'
        f'<figcaption>{caption} <span class="source">{source}</span></figcaption>'
        f'<details class="figures"><summary>The same in numbers</summary><div class="table"><table>{rows}</table></div></details>'
        "</figure>"
    )


def _plain(value: Any) -> str:
    return units.exact(value) if isinstance(value, int | float) and not isinstance(value, bool) else str(value)
