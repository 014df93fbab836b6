"""Markdown to clean HTML: one renderer a page, one call a section."""

from __future__ import annotations

import html
import re
import xml.etree.ElementTree as etree
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import nh3
from markdown import Markdown
from markdown.extensions import Extension
from markdown.treeprocessors import Treeprocessor
from pymdownx.blocks import BlocksExtension
from pymdownx.blocks.block import Block
from pymdownx.blocks.details import DetailsExtension

from courses.calculators import Calculator

from .figures import measured_figure, picture_names
from .links import Known, resolve, slugify
from .numbers import Sources, compute
from .problems import AuthorError, Problem, one_of
from .scan import Code, Scanner

_TAGS = {
    *(
        "a",
        "abbr",
        "aside",
        "b",
        "blockquote",
        "br",
        "cite",
        "code",
        "dd",
        "del",
        "details",
        "dfn",
        "div",
        "dl",
        "dt",
        "em",
    ),
    *(
        "h3",
        "h4",
        "h5",
        "hr",
        "i",
        "ins",
        "kbd",
        "li",
        "mark",
        "ol",
        "p",
        "pre",
        "q",
        "s",
        "samp",
        "section",
        "small",
        "span",
    ),
    *(
        "strong",
        "sub",
        "summary",
        "sup",
        "table",
        "tbody",
        "td",
        "tfoot",
        "th",
        "thead",
        "tr",
        "ul",
        "var",
        "figure",
        "figcaption",
    ),
}
_ATTRIBUTES = {
    "*": {"class", "id", "title", "lang", "role", "aria-label", "data-slot"},
    "a": {"href"},
    "ol": {"start"},
    "td": {"colspan", "rowspan"},
    "th": {"colspan", "rowspan", "scope"},
    "details": {"open"},
}
_SLOT = re.compile(r'<(div|span) data-slot="(\d+)"></\1>')
_EMPTY = re.compile(r"<p>\s*</p>")
_CODE = re.compile(r"<(pre|code)\b.*?</\1>", re.S)
_FOOTNOTE = re.compile(r"\[\^[\w-]+\]")  # one that Markdown found no definition for
_ALIGNED = re.compile(r'<(th|td) style="text-align: (left|right|center);">')


Draw = Callable[[Calculator, Mapping[str, str], str], str]


@dataclass(frozen=True)
class Library:
    """Everything a page may refer to: numbers, measured pictures (SVG by id) and the ids that links may name.

    `draw` makes the HTML of a calculator with an author's inputs, as `draw(calculator, inputs, prefix of its ids)`.
    """

    sources: Sources
    pictures: Mapping[str, str]
    known: Known
    draw: Draw


@dataclass
class Rendered:
    """One section, ready to store. `text` is what search reads; `headings` are (level, id, title) below its own."""

    html: str
    text: str
    headings: list[tuple[int, str, str]] = field(default_factory=list)
    terms: list[str] = field(default_factory=list)
    code: list[Code] = field(default_factory=list)


class _Interviewer(Block):
    NAME = "interviewer"
    ARGUMENT = None

    def on_create(self, parent: etree.Element) -> etree.Element:
        made = etree.SubElement(parent, "aside", {"class": "interviewer"})
        etree.SubElement(made, "p", {"class": "kick"}).text = self.argument or "What the interviewer listens for"
        return made


class _Term(Block):
    NAME = "term"
    ARGUMENT = True

    def on_create(self, parent: etree.Element) -> etree.Element:
        made = etree.SubElement(parent, "div", {"class": "term", "id": f"term-{slugify(self.argument)}"})
        etree.SubElement(etree.SubElement(made, "p", {"class": "term-name"}), "dfn").text = self.argument
        return made


class _Blocks(BlocksExtension):
    def extendMarkdownBlocks(self, md: Markdown, block_mgr: Any) -> None:
        block_mgr.register(_Interviewer, self.getConfigs())
        block_mgr.register(_Term, self.getConfigs())


class _Links(Treeprocessor):
    """Resolves links and refuses pictures without a source; notes what it could not resolve."""

    def __init__(self, md: Markdown, known: Known) -> None:
        super().__init__(md)
        self.known = known
        self.faults: list[tuple[str, AuthorError]] = []
        self.anchors: list[str] = []

    def run(self, root: etree.Element) -> None:
        for element in root.iter():
            if element.tag == "a" and (href := element.get("href")) and "footnote" not in element.get("class", ""):
                if href.startswith("#") and not href.startswith("#fn"):
                    self.anchors.append(href)
                try:
                    element.set("href", resolve(href, self.known))
                except AuthorError as error:
                    self.faults.append((href, error))
            elif element.tag == "img":
                fault = AuthorError(
                    "a picture without a source", "measure it, and show it with /// figure | measured-id"
                )
                self.faults.append((element.get("src", ""), fault))


class _LinksExtension(Extension):
    def __init__(self, known: Known) -> None:
        super().__init__()
        self.known = known

    def extendMarkdown(self, md: Markdown) -> None:
        self.links = _Links(md, self.known)
        md.treeprocessors.register(self.links, "headroom-links", 1)


class PageRenderer:
    """Renders the sections of one page in turn; ids (headings, footnotes, terms) are unique over the page."""

    def __init__(self, path: Path, library: Library) -> None:
        self.path, self.library = path, library
        self.problems: list[Problem] = []
        self.ids: set[str] = set()
        self._calculators = 0
        self._anchors: list[tuple[str, int]] = []
        extension = _LinksExtension(library.known)
        self._markdown = Markdown(
            extensions=[
                *("footnotes", "tables", "admonition", "def_list", "sane_lists", "attr_list"),
                *("pymdownx.highlight", "pymdownx.superfences"),
                DetailsExtension(),
                _Blocks(),
                extension,
            ],
            extension_configs={
                "footnotes": {"UNIQUE_IDS": True, "BACKLINK_TITLE": "Back to the text at footnote {}"},
                "pymdownx.highlight": {"guess_lang": False, "use_pygments": True},
            },
            output_format="html",
        )
        self._links = extension.links
        self._scanner = Scanner(path, library.sources, self._leaf)

    def section(self, text: str, line: int, prefix: str = "") -> Rendered:
        """Render a text that starts at `line`; faults go to `problems`, and the HTML is then not to be used."""
        scanned = self._scanner.scan(text, line)
        self.problems += scanned.problems
        headings = self._headings(scanned.headings, prefix)
        self._links.faults, self._links.anchors = [], []
        # reset keeps footnotes of one section from those of the next, and counts their prefix up
        self._markdown.reset()
        made = self._markdown.convert(_with_ids(scanned.markdown, headings))
        self.problems += [
            Problem(
                self.path,
                _line_of(text, mark, line),
                f"the footnote {mark} is not defined in this section",
                f"add {mark}: … at its end",
            )
            for mark in dict.fromkeys(_FOOTNOTE.findall(_CODE.sub("", made)))
        ]
        where = {href: _line_of(text, href, line) for href, _ in self._links.faults}
        self.problems += [
            Problem(self.path, where[href], error.message, error.cure) for href, error in self._links.faults
        ]
        self._anchors += [(href[1:], _line_of(text, href, line)) for href in self._links.anchors]
        clean = nh3.clean(
            _ALIGNED.sub(_aligned, made),
            tags=_TAGS,
            attributes=_ATTRIBUTES,
            url_schemes={"https", "mailto"},
            link_rel="noopener",
        )
        # what is wider than a phone scrolls in its own box, by keyboard too
        clean = clean.replace("<pre>", '<pre tabindex="0">')
        clean = clean.replace("<table>", '<div class="table" tabindex="0"><table>').replace(
            "</table>", "</table></div>"
        )
        clean = _EMPTY.sub("", clean)
        self.ids.update(re.findall(r' id="([^"]+)"', clean))
        slots = scanned.slots
        filled = _SLOT.sub(lambda match: slots[int(match[2])] if int(match[2]) < len(slots) else "", clean).strip()
        self.ids.update(re.findall(r' id="(figure-[^"]+)"', filled))
        return Rendered(filled, to_text(filled), headings, scanned.terms, scanned.code)

    def inline(self, text: str, line: int) -> str:
        """Render one line of front matter: HTML without the paragraph around it where there is only one."""
        made = self.section(text, line).html
        one = re.fullmatch(r"<p>(.*)</p>", made, re.S)
        return one[1] if one and "<p>" not in one[1] else made

    def calculator(self, ident: str, inputs: Mapping[str, str]) -> str:
        """Draw a calculator with an author's inputs. Raises AuthorError where they cannot be computed."""
        compute(self.library.sources, ident, inputs)
        self._calculators += 1
        return self.library.draw(self.library.sources.calculator(ident), inputs, f"calculator-{self._calculators}")

    def finish(self) -> None:
        """Check the links within the page, once every section is rendered."""
        for anchor, line in self._anchors:
            if anchor not in self.ids:
                self.problems.append(
                    Problem(self.path, line, f"nothing on this page is called “#{anchor}”", one_of(self.ids, anchor))
                )

    def _headings(self, found: list[tuple[int, int, str]], prefix: str) -> list[tuple[int, str, str]]:
        level, made = 2, []
        for line, depth, title in found:
            if depth < 3 or depth > level + 1:
                cure = (
                    f"use {'#' * min(level + 1, 5)} here"
                    if depth > level
                    else "sections are ##, what is below them starts at ###"
                )
                self.problems.append(Problem(self.path, line, f"the heading “{title}” is out of order", cure))
            level = max(depth, 2)
            ident = base = f"{prefix}-{slugify(title)}" if prefix else slugify(title)
            number = 2
            while ident in self.ids:
                ident, number = f"{base}-{number}", number + 1
            self.ids.add(ident)
            made.append((depth, ident, title))
        return made

    def _leaf(self, name: str, argument: str, body: list[str]) -> str:
        if name == "calculator":
            inputs: dict[str, str] = {}
            for entry in filter(str.strip, body):
                key, colon, value = entry.partition(":")
                if not colon:
                    raise AuthorError(f"“{entry.strip()}” is no input", "write name: value, one a line")
                inputs[key.strip()] = value.strip().strip("\"'")
            return self.calculator(argument, inputs)
        artefacts = self.library.sources.measured
        if argument not in artefacts:
            raise AuthorError(
                f"the figure “{argument}” has no source: measured/{argument}.json is not there",
                one_of(artefacts, argument),
            )
        artefact, pictures = artefacts[argument], self.library.pictures
        for name in picture_names(argument, artefact):
            if name not in pictures:
                raise AuthorError(f"measured/{name}.svg is not there", f"run {artefact['command']}")
        caption = nh3.clean(
            re.sub(r"`([^`]+)`", r"<code>\1</code>", body[0].strip()),
            tags={"span", "em", "strong", "code"},
            attributes={"*": {"class", "title"}},
        )
        if not caption:
            raise AuthorError(f"the figure “{argument}” has no caption", "say in a sentence what it shows")
        return measured_figure(argument, artefact, pictures, caption)


def _with_ids(markdown: str, headings: list[tuple[int, str, str]]) -> str:
    """Give each heading of the source its id, in order, skipping code."""
    out, waiting, fence = [], list(headings), ""
    for line in markdown.split("\n"):
        mark = re.match(r" *(`{3,}|~{3,})", line)
        if mark and not fence:
            fence = mark[1]
        elif mark and mark[1].startswith(fence):
            fence = ""
        elif not fence and waiting and re.match(r"#{1,6}\s", line):
            line = f"{line.rstrip()} {{#{waiting.pop(0)[1]}}}"
        out.append(line)
    return "\n".join(out)


def _aligned(match: re.Match[str]) -> str:
    return f'<{match[1]} class="r">' if match[2] == "right" else f"<{match[1]}>"


def _line_of(text: str, needle: str, first: int) -> int:
    position = text.find(needle)
    return first + text.count("\n", 0, position) if position >= 0 else first


def to_text(made: str) -> str:
    """Return the words of our own HTML, for search: without plots and calculators, and with no gaps inside of code."""
    bare = re.sub(r"<(script|svg|select|form)\b.*?</\1>", " ", made, flags=re.S)
    bare = re.sub(r"</?(?:span|code|em|strong|a|b|i|dfn|abbr|kbd|q)\b[^>]*>", "", bare)
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", bare)).split())
