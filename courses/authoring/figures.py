"""The HTML of measured figures: picture, numbers, caption and source."""

from __future__ import annotations

import json
from collections.abc import Mapping
from html import escape
from typing import Any

from courses.calculators import units


def measured_figure(ident: str, artefact: Mapping[str, Any], svg: str, caption: str) -> str:
    """Draw a measured figure: the picture, its numbers as a table, its caption (HTML) and where it was measured."""
    data = json.dumps(artefact["timelines"], separators=(",", ":")).replace("<", "\\u003c")
    rows = "".join(
        f'<tr><th scope="row">{escape(name.replace("_", " "))}</th><td class="r num">{escape(_plain(value))}</td></tr>'
        for name, value in artefact["numbers"].items()
    )
    command = f"<code>{escape(artefact['command'])}</code>"
    source = f"Measured with torch {escape(str(artefact['torch']))}; {command} measures it again."
    table = f'<div class="table" tabindex="0"><table>{rows}</table></div>'
    return (
        f'<figure class="measured" id="figure-{ident}" data-timeline>'
        f'<script type="application/json">{data}</script>{svg}'
        f'<figcaption>{caption} <span class="source">{source}</span></figcaption>'
        f'<details class="figures"><summary>The same in numbers</summary>{table}</details>'
        "</figure>"
    )


def _plain(value: Any) -> str:
    return units.exact(value) if isinstance(value, int | float) and not isinstance(value, bool) else str(value)
