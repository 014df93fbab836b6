"""Find pages for someone: what is shown, and whether it is shown at all, depends on nothing that they may not open."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from django.db import connection
from django.utils.safestring import SafeString

from accounts.access import Person, Tier, decide
from search import engines
from search.models import KINDS, Entry, Word
from search.snippets import marked, says, snippet
from search.words import forgiven, nearest, query, stem

CANDIDATES = 120
"""How many entries are weighed; the database chooses them by its own measure."""

SECTIONS_A_PAGE = 2
_KIND_TITLES = dict(KINDS)
_TITLE_WHOLE, _TITLE_COVERED, _TITLE_WORD, _TITLE_BEGINNING, _PHRASE = 20.0, 12.0, 10.0, 6.0, 4.0
# a term is a definition, and a page's own entry stands for all of it
_BONUS = {"term": 3.0, "calculator": 1.0}


@dataclass(frozen=True)
class Passage:
    """A section in which words were found, with what stands around them."""

    url: str
    heading: str
    snippet: SafeString


@dataclass
class Result:
    """A page that was found. What is locked has a title and a tier, and no passages."""

    kind: str
    url: str
    title: SafeString
    tier: str
    open: bool
    within: str = ""
    passages: list[Passage] = field(default_factory=list)

    @property
    def kind_title(self) -> str:
        return _KIND_TITLES[self.kind]


@dataclass(frozen=True)
class Found:
    """What was found for a query. `instead` are the words that were looked for instead; `some`: not all words fit."""

    asked: list[str]
    results: list[Result]
    more: bool = False
    instead: list[tuple[str, str]] = field(default_factory=list)
    some: bool = False


def find(text: str, person: Person, now: datetime, limit: int = 20) -> Found:
    """Return the pages that fit `text` for `person` at `now`: two queries, four where nothing fits as it is typed."""
    asked = query(text)
    if not asked:
        return Found([], [])
    opens = [tier.value for tier in Tier if decide(tier, 0, person, now).is_open]
    entries = _entries(asked, opens, every=True)
    instead: list[tuple[str, str]] = []
    some = False
    if not entries:
        corrected, instead = _corrected(asked, opens)
        entries = _entries(corrected, opens, every=True) if instead else []
        if entries:
            asked = corrected
        else:
            instead = []
            some = len(asked) > 1
            entries = _entries(asked, opens, every=False) if some else []
    pages = _pages(entries, asked)
    results = [_result(found, asked, opens) for found in pages[:limit]]
    return Found(asked, results, len(pages) > limit, instead, some and bool(results))


def _entries(asked: Sequence[str], opens: Sequence[str], *, every: bool) -> list[Entry]:
    prefixes = list(dict.fromkeys(stem(word) for word in asked))
    keys = engines.of(connection).match(connection, prefixes, opens, every, CANDIDATES)
    return list(Entry.objects.filter(pk__in=keys, opens__in=opens)) if keys else []


def _corrected(asked: Sequence[str], opens: Sequence[str]) -> tuple[list[str], list[tuple[str, str]]]:
    """Return the words with slips corrected, and the pairs that differ. It knows only words that may be seen."""
    lengths = {len(word) + more for word in asked for more in range(-forgiven(word), forgiven(word) + 1)}
    known = list(Word.objects.filter(length__in=lengths, opens__in=opens).values_list("word", flat=True))
    corrected = [
        word if any(each.startswith(stem(word)) for each in known) else nearest(word, known) or word for word in asked
    ]
    return corrected, [pair for pair in zip(asked, corrected, strict=True) if pair[0] != pair[1]]


def _pages(entries: list[Entry], asked: Sequence[str]) -> list[list[Entry]]:
    """Put the entries together by page, the best page first and in it its best sections."""
    weighed = sorted(((_weight(entry, asked), entry) for entry in entries), key=lambda pair: (-pair[0], pair[1].pk))
    pages: dict[str, list[Entry]] = {}
    for _, entry in weighed:
        pages.setdefault(entry.page, []).append(entry)
    return list(pages.values())


def _result(found: list[Entry], asked: Sequence[str], opens: Sequence[str]) -> Result:
    first = found[0]
    is_open = first.tier in opens
    result = Result(
        kind=first.kind,
        url=first.url.partition("#")[0] if first.kind != "term" else first.url,
        title=marked(first.title, asked),
        tier=first.tier,
        open=is_open,
        within=first.heading if first.kind == "term" else "",
    )
    # every section of a page is found by the page's title: shown are those that say something themselves
    telling = [entry for entry in found if entry.heading and says(entry.text, asked)]
    for entry in (telling or ([first] if is_open and first.text else []))[:SECTIONS_A_PAGE]:
        heading = "" if entry.kind == "term" else entry.heading
        result.passages.append(Passage(entry.url, heading, snippet(entry.text, asked)))
    return result


def _weight(entry: Entry, asked: Sequence[str]) -> float:
    """Say how well an entry fits, from its own words alone: never from how rare a word is among those not shown."""
    named, said = entry.named.split(), entry.said.split()
    weight = _BONUS.get(entry.kind, 0.0) if any(stem(word) in entry.named for word in asked) else 0.0
    if not entry.heading:
        weight += 2.0
    for word in asked:
        start = stem(word)
        if word in named:
            weight += _TITLE_WORD
        elif any(each.startswith(start) for each in named):
            weight += _TITLE_BEGINNING
        count = sum(1.0 if each == word else 0.5 for each in said if each.startswith(start))
        # the tenth mention says little more than the third, and long texts mention more
        weight += 4.0 * count / (count + 1.5 + len(said) / 400)
    starts = tuple(stem(word) for word in asked)
    telling = query(entry.named)
    weight += _TITLE_COVERED * sum(each.startswith(starts) for each in telling) / max(1, len(telling))
    phrase = " ".join(asked)
    if phrase == entry.named:
        weight += _TITLE_WHOLE
    elif len(asked) > 1 and phrase in entry.named:
        weight += 2 * _PHRASE
    elif len(asked) > 1 and phrase in entry.said:
        weight += _PHRASE
    return weight
