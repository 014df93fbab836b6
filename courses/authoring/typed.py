"""Find the numbers that an author typed where a computed one belongs.

A number with a unit (`33.6 GB`, `45 %`, `4.4 million GPU-hours`) in a lesson, or in a question's answers, passes if

- it is computed: it stands as `[[= … ]]` in the source, so that there are no digits to find;
- it is an input, given or left at its default: of a computation in its own paragraph or table, of a calculator in its
  section, or of the page's own calculator;
- it is assumed: inside `[[given … ]]`, in a paragraph that starts with **Assumptions**, or in the wording of an
  exercise. What is assumed once on a page may be said again there;
- it is printed: a run block of the page prints it, or digits that round to it, and the check compares those with a run;
- it has a source: its paragraph or table carries a footnote or a link to the outside;
- it is no result: 0 % and 100 %, the 1, 2, 4 and 8 bytes of number formats, the 2 FLOPs of a multiply and an add.

Everything else is somebody's arithmetic, which nobody repeats when an assumption changes.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from courses.calculators import units

from . import sums
from .numbers import CALL, EXPRESSION, read_inputs
from .problems import AuthorError

NONE: Mapping[str, str] = {}

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
_SOURCE = re.compile(r"\[\^[\w-]+\]|\]\(https://")
_HIDDEN = re.compile(r"(?P<ticks>`+)(?!`).*?(?<!`)(?P=ticks)(?!`)|\$\$.+?\$\$|\$(?![\s$])(?:\\\$|[^$])+?\$(?!\d)", re.S)
_RESULT = re.compile(rf"[=≈]\s*({_DIGITS})\s*(\\%)?\$+\Z")
_FENCE = re.compile(r" *(`{3,}|~{3,})(.*)")
_SLASHES = re.compile(r" */{3,}\s*(?P<name>[\w-]*)")

# a value in the base unit, to twelve digits, and its dimension
Quantity = tuple[float, str]


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

    title: str
    blocks: list[_Block] = field(default_factory=list)
    printed: set[str] = field(default_factory=set)


# what a calculator assumes, by its id and the inputs that it is given: nothing where these cannot be read
Assumes = Callable[[str, Mapping[str, str]], Iterable[Quantity]]


def find(
    sections: Iterable[tuple[str, int, str]],
    assumes: Assumes,
    calculator: str = "",
    inputs: Mapping[str, str] = NONE,
    only: Collection[str] = (),
) -> list[Typed]:
    """Return the typed numbers of a page: its sections as (title, first line, text), and the calculator of the page.

    `only` names the sections whose numbers are judged; without it all are.
    """
    readings = [_read(title, line, text, assumes) for title, line, text in sections]
    blocks = [block for reading in readings for block in reading.blocks]
    judged = [block for reading in readings if not only or reading.title in only for block in reading.blocks]
    printed = set().union(*(reading.printed for reading in readings))
    allowed = set(assumes(calculator, inputs)) if calculator else set()
    for block in blocks:
        texts = [block.text] if block.assumed else [match["given"] for match in GIVEN.finditer(block.text)]
        allowed |= {quantity for text in texts for _, quantity, _ in _numbers(text)}
    return [typed for block in judged if not block.assumed for typed in _of(block, allowed, printed, assumes)]


def _read(title: str, first: int, text: str, assumes: Assumes) -> _Reading:
    """Cut a section into blocks, leaving code, calculators and headings out."""
    made = _Reading(title)
    fence, slashes = "", [] if title == "Exercises" else ["no statement"]
    leaf, calculator, typed_in = "", "", {}  # type: str, str, dict[str, str]
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
        elif leaf == "calculator":
            if block:
                inputs |= set(assumes(calculator, typed_in))
                leaf, typed_in = "", {}
            elif here.strip():
                name, _, value = here.partition(":")
                typed_in[name.strip()] = value.strip().strip("\"'")
        elif leaf:
            if block:
                flush(number)
                leaf = ""
            else:
                gathered.append(here)
        elif block:
            flush(number)
            if block["name"] in ("calculator", "figure"):
                leaf, calculator = block["name"], here.partition("|")[2].strip()
            elif block["name"]:
                slashes.append(block["name"])
            elif slashes:
                slashes.pop()
        elif not here.strip() or here.startswith("#"):
            flush(number)
        else:
            gathered.append(here)
    return made


def _of(block: _Block, allowed: set[Quantity], printed: set[str], assumes: Assumes) -> Iterator[Typed]:
    if _SOURCE.search(block.text):
        return
    known = allowed | block.inputs
    for computed in EXPRESSION.finditer(block.text):
        known |= {quantity for text in sums.literals(computed[1]) for _, quantity, _ in _numbers(text)}
        for called in CALL.finditer(computed[1]):
            with contextlib.suppress(AuthorError):  # which the rendering of the page reports
                known |= set(assumes(called["id"], read_inputs(called["inputs"] or "")))
    prose = _HIDDEN.sub(_hidden, _blank(GIVEN, _blank(EXPRESSION, block.text)))
    for at, quantity, match in _numbers(prose):
        if quantity not in known and quantity not in _PLAIN and not _among(match["digits"], printed):
            yield Typed(block.line + prose.count("\n", 0, at), " ".join(match[0].split()))


def _among(digits: str, printed: set[str]) -> bool:
    """Tell whether a number is one of those printed; from two digits on it may be one of them rounded."""
    bare = digits.replace(",", "")
    decimals = len(bare.partition(".")[2])
    several = len(bare.replace(".", "").lstrip("0")) > 1 and "e" not in bare
    return any(float(each) == float(bare) or (several and f"{float(each):.{decimals}f}" == bare) for each in printed)


def _blank(pattern: re.Pattern[str], text: str) -> str:
    """Take out what matches, and leave its line breaks."""
    return pattern.sub(lambda match: "¤" + "\n" * match[0].count("\n"), text)


def _hidden(match: re.Match[str]) -> str:
    """Take out code and formulas, but for the result that a formula ends with: its unit stands behind it."""
    result = _RESULT.search(match[0])
    return "¤" + "\n" * match[0].count("\n") + (f" {result[1]}{' %' if result[2] else ''}" if result else "")


def _numbers(text: str) -> Iterator[tuple[int, Quantity, re.Match[str]]]:
    for match in _NUMBER.finditer(text):
        value = Fraction(match["digits"].replace(",", "")) * _MANY.get((match["many"] or "").strip(), 1)
        yield match.start(), quantity(value, match["unit"]), match


def quantity(value: Fraction | float, unit: str) -> Quantity:
    """Return a value of `unit` as something that is equal for equal amounts: 80 GB and 80,000 MB, 0.9 and 90 %."""
    return float(f"{float(Fraction(value) * units.scale(unit)):.12g}"), units.dimension(unit)


_PLAIN = {
    *(quantity(share, "%") for share in (0, 100)),
    *(quantity(width, "bytes") for width in (1, 2, 4, 8)),
    quantity(2, "FLOP"),
}
