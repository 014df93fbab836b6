"""Turn what people write into HTML that cannot do anything: Markdown without raw HTML, then a narrow list of tags.

The parser is markdown-it: on the worst texts of the longest length it takes well under a second, where Python-Markdown,
which renders our own pages, takes a minute.
"""

from __future__ import annotations

import re

import nh3
from markdown_it import MarkdownIt

_TAGS = {"p", "br", "em", "strong", "s", "code", "pre", "blockquote", "ul", "ol", "li", "a", "hr"}
_ATTRIBUTES: dict[str, set[str]] = {"*": set(), "a": {"href"}, "ol": {"start"}}
_INVISIBLE = re.compile("[\x00-\x08\x0b-\x1f\x7f\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]")
"""Control characters, and those that turn the direction of a text: what is read must be what is written."""

_ELSEWHERE = re.compile(r'<a href="(?!/[^/\\])(?!#)')
_RULES = ["fence", "code", "blockquote", "list", "hr", "emphasis", "strikethrough", "backticks", "link", "autolink"]
_MARKDOWN = MarkdownIt("zero", {"html": False, "breaks": True, "maxNesting": 12}).enable(
    [*_RULES, "newline", "escape", "entity", "balance_pairs", "fragments_join"]
)


def tidy(text: str) -> str:
    """Return a text as it is kept: one kind of line end, no invisible characters."""
    return _INVISIBLE.sub("", text.replace("\r\n", "\n").replace("\r", "\n")).strip()


def to_html(text: str) -> str:
    """Return a comment's HTML. Raw HTML comes out as the text that it is; pictures, headings and tables are none."""
    clean = nh3.clean(
        _MARKDOWN.render(text),
        tags=_TAGS,
        attributes=_ATTRIBUTES,
        url_schemes={"http", "https"},
        link_rel="nofollow ugc noopener",
    )
    # what is wider than a phone scrolls in its own box, by keyboard too
    return clean.replace("<pre>", '<pre tabindex="0">').strip()


def links_elsewhere(html: str) -> int:
    """Count the links in a comment's HTML that lead away from this site."""
    return len(_ELSEWHERE.findall(html))
