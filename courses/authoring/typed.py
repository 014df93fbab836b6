"""Find the numbers that an author typed where a computed one belongs.

A number with a unit (`33.6 GB`, `45 %`, `4.4 million GPU-hours`) in a lesson, or in a question's answers, passes if

- it is computed: it stands as `[[= … ]]` in the source, so that there are no digits to find;
- it is an input: of a computation in its own paragraph or table, of a calculator in its section, or of the page's;
- it is assumed: inside `[[given … ]]`, in a paragraph that starts with **Assumptions**, or in the wording of an
  exercise. What is assumed once on a page may be said again there;
- it is printed: a run block of the page prints the same digits, and the check compares those with a run;
- it has a source: its paragraph or table carries a footnote or a link to the outside;
- it is no result: 0 % and 100 %, and the 1, 2, 4 and 8 bytes of number formats.

Everything else is somebody's arithmetic, which nobody repeats when an assumption changes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from courses.calculators import units

from . import sums
from .numbers import EXPRESSION

SECTIONS_OF_A_QUESTION = ("Short answer", "Worked answer")
GIVEN = re.compile(r"\[\[given\s+(?P<given>.*?)\]\]", re.S)

_PROSE_UNITS = {
    *(unit for unit in units.TABLE if len(unit) > 1 and unit not in ("bit", "bits", "fraction", "sec")),
    *("h", "s", "%", "per cent", "W", "kW", "MW", "GW", "kWh", "MWh", "GWh", "tokens/s", "images/s"),
    *(f"{device}-{time}" for device in ("GPU", "device", "card") for time in ("hours", "seconds", "days", "years")),
}
_MANY = {"thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}
_DIGITS = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?(?:e-?\d{1,2})?"
_UNIT = "|".join(sorted(map(re.escape, _PROSE_UNITS), key=len, reverse=True))
_NUMBER = re.compile(
    rf"(?<![\w.,^/])(?P<digits>{_DIGITS})(?P<many>[\s\u00a0](?:{'|'.join(_MANY)}))?(?:[\s\u00a0]|-)?(?P<unit>{_UNIT})(?![\w/])"
)
_INPUT = re.compile(rf"[=:]\s*\"?(?P<digits>{_DIGITS})\s*(?P<unit>[^\s,\")|]*(?:/s)?)")
_SOURCE = re.compile(r"\[\^[\w-]+\]|\]\(https://")
_HIDDEN = re.compile(r"(?P<ticks>`+)(?!`).*?(?<!`)(?P=ticks)(?!`)|\$\$.+?\$\$|\$(?![\s$])(?:\\\$|[^$])+?\$(?!\d)", re.S)
_FENCE = re.compile(r" *(`{3,}|~{3,})(.*)")
_SLASHES = re.compile(r" */{3,}\s*(?P<name>[\w-]*)")

# a value and the kind of thing that it measures; "" where no unit says
Quantity = tuple[Fraction, str]


@dataclass(frozen=True)
class Typed:
    """A number without a source: its line, and its words."""

    line: int
    words: str


@dataclass
class _Block:
    """Lines that belong together: a paragraph, an item or a table. `inputs` are those of its section's calculators."""

    line: int
    text: str
    statement: bool
    inputs: set[Quantity]

    @property
    def assumed(self) -> bool:
        return self.statement or self.text.lstrip().startswith("**Assumptions")


@dataclass
class _Reading:
    """What is read of a section before its numbers are judged."""

    blocks: list[_Block] = field(default_factory=list)
    printed: set[str] = field(default_factory=set)


def find(sections: Iterable[tuple[str, int, str]], inputs: Mapping[str, str]) -> list[Typed]:
    """Return the typed numbers of a page: its sections as (title, first line, text), its own calculator's inputs."""
    readings = [_read(title, line, text) for title, line, text in sections]
    blocks = [block for reading in readings for block in reading.blocks]
    printed = set().union(*(reading.printed for reading in readings))
    allowed = _inputs(f"={value}" for value in inputs.values())
    for block in blocks:
        texts = [block.text] if block.assumed else [match["given"] for match in GIVEN.finditer(block.text)]
        allowed |= {quantity for text in texts for _, quantity, _ in _numbers(text)}
    return [typed for block in blocks if not block.assumed for typed in _of(block, allowed, printed)]


def _read(title: str, first: int, text: str) -> _Reading:
    """Cut a section into blocks, leaving code, calculators and headings out."""
    made = _Reading()
    fence, slashes = "", [] if title == "Exercises" else ["no statement"]
    leaf: str | None = None
    inputs: set[Quantity] = set()
    gathered: list[str] = []

    def flush(number: int) -> None:
        if gathered:
            made.blocks.append(_Block(number - len(gathered), "\n".join(gathered), not slashes, inputs))
            gathered.clear()

    for number, here in enumerate([*text.split("\n"), ""], start=first):
        mark, block = _FENCE.match(here), _SLASHES.fullmatch(here.split("|")[0].rstrip())
        if fence:
            if mark and mark[1].startswith(fence[:3]) and not mark[2].strip():
                fence = ""
            elif fence.endswith("output"):
                made.printed |= {digits.replace(",", "") for digits in re.findall(_DIGITS, here)}
        elif mark:
            flush(number)
            fence = mark[1] + mark[2].strip()
        elif leaf is not None:
            if block:
                leaf = None
            elif leaf == "calculator":
                inputs |= _inputs([here])
            else:
                gathered.append(here)
        elif block:
            flush(number)
            if block["name"] in ("calculator", "figure"):
                leaf = block["name"]
            elif block["name"]:
                slashes.append(block["name"])
            elif slashes:
                slashes.pop()
        elif not here.strip() or here.startswith("#"):
            flush(number)
        else:
            gathered.append(here)
    return made


def _of(block: _Block, allowed: set[Quantity], printed: set[str]) -> Iterator[Typed]:
    if _SOURCE.search(block.text):
        return
    computed = [match[1] for match in EXPRESSION.finditer(block.text)]
    near = block.inputs | _inputs(computed) | _inputs(f"={each}" for text in computed for each in sums.literals(text))
    prose = _blank(_HIDDEN, _blank(GIVEN, _blank(EXPRESSION, block.text)))
    for at, quantity, match in _numbers(prose):
        if not (
            _plain(quantity) or _among(quantity, match, allowed | near) or match["digits"].replace(",", "") in printed
        ):
            yield Typed(block.line + prose.count("\n", 0, at), " ".join(match[0].split()))


def _blank(pattern: re.Pattern[str], text: str) -> str:
    """Take out what matches, and leave its line breaks."""
    return pattern.sub(lambda match: "¤" + "\n" * match[0].count("\n"), text)


def _numbers(text: str) -> Iterator[tuple[int, Quantity, re.Match[str]]]:
    for match in _NUMBER.finditer(text):
        yield match.start(), _quantity(match["digits"], match["unit"], (match["many"] or "").strip()), match


def _quantity(digits: str, unit: str, many: str = "") -> Quantity:
    value = Fraction(digits.replace(",", "")) * _MANY.get(many, 1)
    return (value * units.scale(unit), units.dimension(unit)) if unit in units.TABLE else (value, unit)


def _inputs(texts: Iterable[str]) -> set[Quantity]:
    return {
        _quantity(match["digits"], match["unit"] if match["unit"] in units.TABLE else "")
        for text in texts
        for match in _INPUT.finditer(text)
    }


def _plain(quantity: Quantity) -> bool:
    return quantity in {(Fraction(value), "fraction") for value in (0, 1)} | {
        (Fraction(value), "bytes") for value in (1, 2, 4, 8)
    }


def _among(quantity: Quantity, match: re.Match[str], known: set[Quantity]) -> bool:
    """Tell whether a number is one of `known`, of which some are bare: `achieved=400` is said as 400 TFLOP/s."""
    return quantity in known or (Fraction(match["digits"].replace(",", "")), "") in known or (quantity[0], "") in known
