"""The HTML of measured figures: picture, key, caption, source, and the same in numbers."""

from __future__ import annotations

import json
from collections.abc import Mapping
from html import escape
from typing import Any

from courses.calculators import units

from .numbers import measured_unit

# the kinds of memory that a timeline tells apart, in words; their colours and patterns are the stylesheet's
KINDS = {
    "parameter": "parameters",
    "gradient": "gradients",
    "optimiser_state": "optimiser state",
    "saved_activation": "saved activations",
    "replay_workspace": "replay workspace",
    "temporary": "temporaries",
    "input": "inputs",
}


def measured_figure(ident: str, artefact: Mapping[str, Any], svg: str, caption: str) -> str:
    """Draw a measured figure; `svg` is the picture stored beside the artefact, `caption` clean HTML."""
    data = json.dumps(artefact["timelines"], separators=(",", ":")).replace("<", "\\u003c")
    title = escape(str(artefact.get("title", ident)))
    command = f"<code>{escape(artefact['command'])}</code>"
    source = f"Measured with torch {escape(str(artefact['torch']))}; {command} measures it again."
    return (
        f'<figure class="measured" id="figure-{ident}" data-timeline data-name="{ident}" data-title="{title}">'
        f'{svg}{_key(artefact["timelines"])}<script type="application/json">{data}</script>'
        f'<figcaption>{caption} <span class="source">{source}</span></figcaption>'
        f"<details><summary>The same in numbers</summary>{_table(artefact['numbers'])}</details></figure>"
    )


def _key(timelines: Mapping[str, Any]) -> str:
    """Name the kinds of memory in the first timeline, which is the one drawn stacked."""
    first: Mapping[str, Any] = next(iter(timelines.values()), {})
    live = first.get("live", {})
    kinds = [kind for kind, values in live.items() if any(values)]
    items = "".join(f'<li><i class="m-{kind}"></i>{escape(KINDS.get(kind, kind))}</li>' for kind in kinds)
    return f'<ul class="key">{items}</ul>' if items else ""


def _table(numbers: Mapping[str, Any]) -> str:
    rows = []
    for name, value in numbers.items():
        words, shown, exact = name.replace("_", " ").capitalize(), str(value), ""
        if isinstance(value, int | float) and not isinstance(value, bool):
            unit = measured_unit(name)
            shown = units.show(value, unit)
            exact = f"{units.exact(value)} {'' if unit == 'fraction' else unit}".strip()
            words = words.removesuffix(f" {name.rsplit('_', 1)[-1]}") if unit else words
        cell = f'<td class="r num" title="{escape(exact)}">{escape(shown)}</td>'
        rows.append(f'<tr><th scope="row">{escape(words)}</th>{cell}</tr>')
    return f'<div class="table" tabindex="0"><table>{"".join(rows)}</table></div>'
