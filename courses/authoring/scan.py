"""Read the source of one section: take out what Markdown must not see, and keep the line of everything.

Formulas, calculators and figures become numbered slots (`<div data-slot="3"></div>`) that are filled with our own HTML
after the page has been cleaned; `[[= … ]]` is computed in place; code blocks marked `run` are noted.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from .formulas import to_mathml
from .numbers import EXPRESSION, Sources, evaluate
from .problems import AuthorError, Problem, one_of

LEAVES = ("calculator", "figure")
CONTAINERS = ("interviewer", "details", "term")

_FENCE = re.compile(r"(?P<indent> *)(?P<mark>`{3,}|~{3,})(?P<info>.*)")
_BLOCK = re.compile(r"(?P<indent> *)(?P<mark>/{3,})(?:\s*(?P<name>[\w-]+)\s*(?:\|\s*(?P<argument>.*?))?)?\s*")
_HEADING = re.compile(r"(?P<hashes>#{1,6})\s+(?P<title>.*)")
_INLINE = re.compile(
    r"(?P<code>(?P<ticks>`+)(?!`).*?(?<!`)(?P=ticks)(?!`))"
    r"|(?P<dollar>\\\$)"
    r"|\$\$(?P<display>.+?)\$\$"
    r"|\[\[=(?P<number>.*?)\]\]"
    r"|\[\[given\s+(?P<given>.*?)\]\]"
    r"|\$(?![\s$])(?P<inline>(?:\\\$|[^$])+?)(?<![\s\\])\$(?!\d)"
    r"|(?P<lone>\$|\[\[=|\[\[given\b)",
    re.S,
)


@dataclass
class Code:
    """A Python block marked `run`: its source, what it must print, and whether it goes on from the one before."""

    line: int
    source: str
    continues: bool
    output: str | None = None


@dataclass
class Scanned:
    """A section ready for Markdown. `slots[n]` is the HTML of slot n; `headings` are (line, level, title)."""

    markdown: str = ""
    slots: list[str] = field(default_factory=list)
    code: list[Code] = field(default_factory=list)
    terms: list[str] = field(default_factory=list)
    headings: list[tuple[int, int, str]] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


# (name, argument, body, the body's first line) -> HTML; raises AuthorError
Leaf = Callable[[str, str, list[str]], str]


class Scanner:
    """Scans one text that starts at `line` of `path`; `leaf` makes the HTML of calculators and figures."""

    def __init__(self, path: Path, sources: Sources, leaf: Leaf) -> None:
        self.path, self.sources, self.leaf = path, sources, leaf

    def scan(self, text: str, line: int) -> Scanned:
        self.out = Scanned()
        self.written: list[str] = []
        self.paragraph: list[str] = []
        self.open_blocks: list[tuple[str, str, int]] = []
        self.lines, self.first, self.at = text.split("\n"), line, 0
        while self.at < len(self.lines):
            here = self.lines[self.at]
            if match := _FENCE.fullmatch(here):
                self._flush()
                self._fence(match)
            elif match := _BLOCK.fullmatch(here):
                self._flush()
                self._block(match)
            else:
                if match := _HEADING.fullmatch(here):
                    self._flush()
                    self.out.headings.append((self.first + self.at, len(match["hashes"]), match["title"].strip()))
                elif not here.strip():
                    self._flush()
                self.paragraph.append(here)
                self.at += 1
        self._flush()
        for _, name, opened in self.open_blocks:
            self._problem(opened, f"the block “/// {name}” is not closed", "end it with a line `///` of its own")
        self.out.markdown = "\n".join(self.written)
        return self.out

    def _problem(self, line: int, message: str, cure: str) -> None:
        self.out.problems.append(Problem(self.path, line, message, cure))

    def _slot(self, html: str, tag: str) -> str:
        self.out.slots.append(html)
        return f'<{tag} data-slot="{len(self.out.slots) - 1}"></{tag}>'

    def _until(self, closes: Callable[[str], bool], what: str, indent: str) -> list[str] | None:
        """Take the lines up to the one that closes what opened here; None, with the rest of the text, if none does."""
        opened = self.at
        self.at += 1
        body: list[str] = []
        while self.at < len(self.lines):
            here = self.lines[self.at]
            self.at += 1
            if closes(here):
                return body
            body.append(here.removeprefix(indent))
        self._problem(self.first + opened, f"{what} is not closed", "end it with the mark that opened it")
        return None

    def _fence(self, match: re.Match[str]) -> None:
        opened, info, mark, indent = self.first + self.at, match["info"].split(), match["mark"], match["indent"]
        ends = re.compile(rf" *{re.escape(mark[0])}{{{len(mark)},}} *")
        body = self._until(lambda here: ends.fullmatch(here) is not None, "this code block", indent)
        if body is None:
            return
        language, options = (info[0] if info else "text"), info[1:]
        classes = ""
        if language == "output":
            language, classes = "text", " .output"
            if not self.out.code or self.out.code[-1].output is not None:
                self._problem(opened, "this output follows no code that is run", "put it after a ```python run block")
            else:
                self.out.code[-1].output = "\n".join(body)
        elif options and (language != "python" or options[0] != "run" or options[1:] not in ([], ["continue"])):
            self._problem(
                opened,
                f"“{' '.join(info)}” is not known for a code block",
                "use ```python, ```python run or ```python run continue",
            )
        elif options:
            classes = " .run"
            self.out.code.append(Code(opened, "\n".join(body), continues="continue" in options))
        self.written += [f"{indent}{mark}{{.{language}{classes}}}", *(indent + each for each in body), indent + mark]

    def _block(self, match: re.Match[str]) -> None:
        line, name, mark = self.first + self.at, match["name"], match["mark"]
        if name is None:
            if self.open_blocks and self.open_blocks[-1][0] == mark:
                self.open_blocks.pop()
            else:
                self._problem(
                    line, f"“{mark}” closes nothing", "remove it, or use as many slashes as the line that opened"
                )
            self.written.append(self.lines[self.at])
            self.at += 1
        elif name in LEAVES:
            body = self._until(lambda here: here.strip() == mark, f"the block “/// {name}”", match["indent"])
            if body is not None:
                self._leaf(name, match["argument"] or "", body, line, match["indent"])
        elif name in CONTAINERS:
            argument = match["argument"] or ""
            if name != "interviewer" and not argument:
                self._problem(line, f"“/// {name}” says no name", f"write /// {name} | words")
            if name == "term":
                self.out.terms.append(argument)
            self.open_blocks.append((mark, name, line))
            self.written.append(
                f"{match['indent']}{mark} {name}" + (f" | {self._inline(argument, line)}" if argument else "")
            )
            self.at += 1
        else:
            self._problem(line, f"there is no block “/// {name}”", one_of((*LEAVES, *CONTAINERS), name))
            self.at += 1

    def _leaf(self, name: str, argument: str, body: list[str], line: int, indent: str) -> None:
        try:
            if name == "figure":
                body = [self._inline("\n".join(body), line + 1)]
            html = self.leaf(name, argument, body)
        except AuthorError as error:
            self._problem(line, error.message, error.cure)
            return
        self.written += ["", indent + self._slot(html, "div"), ""]

    def _flush(self) -> None:
        """Compute and take out what stands in the paragraph gathered so far."""
        if self.paragraph:
            start = self.first + self.at - len(self.paragraph)
            self.written += self._inline("\n".join(self.paragraph), start).split("\n")
            self.paragraph = []

    def _inline(self, text: str, line: int) -> str:
        def replace(match: re.Match[str]) -> str:
            here = line + text.count("\n", 0, match.start())
            try:
                return self._replace(match, text, here)
            except AuthorError as error:
                self._problem(here, error.message, error.cure)
                return ""

        return _INLINE.sub(replace, text)

    def _replace(self, match: re.Match[str], text: str, line: int) -> str:
        if match["code"]:
            return match[0]
        if match["dollar"]:
            return "&#36;"
        if match["number"] is not None:
            return evaluate(match["number"], self.sources).html
        if match["given"]:
            # the mark is for the check (`typed`); a reader sees the words
            return self._inline(match["given"], line)
        if match["inline"]:
            return self._slot(to_mathml(self._numbers_in(match["inline"])), "span")
        if match["display"]:
            before, after = text[: match.start()].split("\n")[-1], text[match.end() :].split("\n")[0]
            if before.strip() or after.strip():
                raise AuthorError(
                    "a formula between $$ stands inside a line of text", "put it on lines of its own, or use $"
                )
            made = to_mathml(self._numbers_in(match["display"]), display=True)
            slot = self._slot(f'<div class="eq" tabindex="0">{made}</div>', "div")
            return f"\n\n{slot}\n\n"
        if match["lone"] == "$":
            raise AuthorError(
                "a $ opens a formula that does not close in this paragraph", "close it, or write \\$ for a dollar"
            )
        raise AuthorError(f"a {match['lone']} is not closed in this paragraph", "close it with ]]")

    def _numbers_in(self, latex: str) -> str:
        return EXPRESSION.sub(lambda match: evaluate(match[1], self.sources).latex, latex)
