"""Render a lab's statement, a Markdown file of ours, into safe HTML with MathML formulas."""

from __future__ import annotations

import re
from functools import lru_cache
from html import unescape
from typing import Any

import markdown
import nh3
from latex2mathml.converter import convert

_TAGS = {
    *("h2", "h3", "h4", "p", "ul", "ol", "li", "dl", "dt", "dd", "blockquote", "hr", "br", "details", "summary"),
    *("table", "thead", "tbody", "tr", "th", "td", "pre", "code", "kbd", "em", "strong", "a", "div", "span"),
    *("sub", "sup"),
}
_ATTRIBUTES = {
    "a": {"href", "title"},
    **{name: {"class"} for name in ("div", "span", "p", "th", "td", "details", "code")},
    **{name: {"id"} for name in ("h2", "h3", "h4")},
}
_EXTENSIONS = [
    *("fenced_code", "tables", "toc", "codehilite", "sane_lists"),
    *("pymdownx.arithmatex", "pymdownx.blocks.details", "pymdownx.blocks.admonition"),
]
_CONFIGS: dict[str, dict[str, Any]] = {
    "codehilite": {"css_class": "highlight", "guess_lang": False},
    "pymdownx.arithmatex": {"generic": True},
}
_FORMULA = re.compile(r'<(span|div) class="arithmatex">\s*\\[(\[](.*?)\\[)\]]\s*</\1>', re.DOTALL)


@lru_cache(maxsize=64)
def to_html(text: str) -> str:
    """Return the HTML of a statement. Its own first heading is dropped: the page prints the title."""
    first, _, rest = text.lstrip().partition("\n")
    body = rest if first.startswith("# ") else text
    renderer = markdown.Markdown(extensions=_EXTENSIONS, extension_configs=_CONFIGS, output_format="html")
    clean = nh3.clean(renderer.convert(body), tags=_TAGS, attributes=_ATTRIBUTES)
    # What may be wider than the screen scrolls in its own box, and a keyboard must reach the box.
    clean = clean.replace("<pre>", '<pre tabindex="0">').replace("<table>", '<div class="table" tabindex="0"><table>')
    return _FORMULA.sub(_mathml, clean.replace("</table>", "</table></div>"))


def _mathml(found: re.Match[str]) -> str:
    is_block = found[1] == "div"
    made = convert(unescape(found[2]).strip(), display="block" if is_block else "inline")
    return f'<div class="eq" tabindex="0">{made}</div>' if is_block else made
