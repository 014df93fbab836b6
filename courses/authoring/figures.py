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


def picture_names(ident: str, artefact: Mapping[str, Any]) -> list[str]:
    """Return the names of the pictures that an artefact is shown by: a trade-off has one more, for narrow places."""
    return [ident, f"{ident}-narrow"] if "methods" in artefact else [ident]


def measured_figure(ident: str, artefact: Mapping[str, Any], pictures: Mapping[str, str], caption: str) -> str:
    """Draw a measured figure; `pictures` are the SVGs stored beside the artefact by name, `caption` clean HTML."""
    command = f"<code>{escape(artefact['command'])}</code>"
    source = f"Measured with torch {escape(str(artefact['torch']))}; {command} measures it again."
    words = f'<figcaption>{caption} <span class="source">{source}</span></figcaption>'
    drawn = [pictures[name] for name in picture_names(ident, artefact)]
    about = f'id="figure-{ident}" data-name="{ident}" data-title="{escape(str(artefact.get("title", ident)))}"'
    if "methods" in artefact:
        return (
            f'<figure class="measured" {about} data-plot><div class="at-wide">{drawn[0]}</div>'
            f'<div class="at-narrow">{drawn[1]}</div>{words}'
            f"<details><summary>The same as a table</summary>{_points(artefact)}</details></figure>"
        )
    data = json.dumps(artefact["timelines"], separators=(",", ":")).replace("<", "\\u003c")
    return (
        f'<figure class="measured" {about} data-timeline>'
        f'{drawn[0]}{_key(artefact["timelines"])}<script type="application/json">{data}</script>{words}'
        f"<details><summary>The same in numbers</summary>{_table(artefact['numbers'])}</details></figure>"
    )


def _points(artefact: Mapping[str, Any]) -> str:
    """Lay out every point of a trade-off: its peak, its work, and how much of the plain update that does again."""
    plain = artefact["methods"][0]["step_flops"]
    rows = []
    for point in [*artefact["methods"], *artefact["frontier"]]:
        work, again = point["step_flops"], point["step_flops"] / plain - 1
        drawn = (
            _cell(point["peak_bytes"], "bytes")
            + _cell(work, "FLOP", units.format_as(work, "GFLOP"))
            + _cell(again, "fraction")
        )
        rows.append(f'<tr><th scope="row">{escape(point["words"][:1].upper() + point["words"][1:])}</th>{drawn}</tr>')
    heads = "".join(f'<th scope="col" class="r">{head}</th>' for head in ("Peak", "Work", "Done again, of plain"))
    head = f'<thead><tr><th scope="col">Run</th>{heads}</tr></thead>'
    return f'<div class="table" tabindex="0"><table>{head}<tbody>{"".join(rows)}</tbody></table></div>'


def _cell(value: float, unit: str, shown: str = "") -> str:
    exact = f"{units.exact(value)} {'' if unit == 'fraction' else unit}".strip()
    return f'<td class="r num" title="{escape(exact)}">{escape(shown or units.show(value, unit))}</td>'


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
        words, cell = name.replace("_", " ").capitalize(), f'<td class="r num" title="">{escape(str(value))}</td>'
        if isinstance(value, int | float) and not isinstance(value, bool):
            unit = measured_unit(name)
            cell = _cell(value, unit)
            words = words.removesuffix(f" {name.rsplit('_', 1)[-1]}") if unit else words
        rows.append(f'<tr><th scope="row">{escape(words)}</th>{cell}</tr>')
    return f'<div class="table" tabindex="0"><table>{"".join(rows)}</table></div>'
