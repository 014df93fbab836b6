"""Cut the place out of a text where the words stand, escape it and mark them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from search.words import fold, stem

LENGTH = 240
_LETTER = r"[^\W_]"


def marked(text: str, asked: Sequence[str]) -> SafeString:
    """Return `text` as HTML: all of it escaped, the words that begin as those asked for in <mark>."""
    return _html(text, 0, len(text), list(_places(text, asked)))


def snippet(text: str, asked: Sequence[str]) -> SafeString:
    """Return about LENGTH letters of `text` around the most different words, as HTML; its beginning without any."""
    places = list(_places(text, asked))
    start = _start(places)
    end = min(len(text), start + LENGTH)
    if start:
        start = text.find(" ", start, start + 40) + 1 or start
    if end < len(text):
        end = max(text.rfind(" ", start, end), start + 1)
    made = _html(text, start, end, places)
    return mark_safe(("… " if start else "") + made + (" …" if end < len(text) else ""))


def says(text: str, asked: Sequence[str]) -> bool:
    """Tell whether any of the words stands in `text`."""
    return next(_places(text, asked), None) is not None


def _places(text: str, asked: Sequence[str]) -> Iterator[tuple[int, int, str]]:
    """Yield where the words stand: start, end, and which of those asked for."""
    starts = tuple(stem(word) for word in asked)
    for match in _candidates(starts).finditer(text):
        folded = fold(match[0])
        which = next((start for start in starts if folded.startswith(start)), None)
        if which is not None:
            yield match.start(), match.end(), which


@lru_cache(maxsize=256)
def _candidates(starts: tuple[str, ...]) -> re.Pattern[str]:
    """Return what finds each word that begins so, and each that may once it is folded: those with other than ASCII."""
    begins = "|".join(map(re.escape, starts))
    return re.compile(rf"(?<!{_LETTER})(?:(?={_LETTER}*[^\x00-\x7f]){_LETTER}+|(?:{begins}){_LETTER}*)", re.IGNORECASE)


def _start(places: list[tuple[int, int, str]]) -> int:
    """Choose the beginning of the window with the most different words in it, the first of several."""
    best, start = 0, 0
    for number, (at, _, _) in enumerate(places):
        within = {which for begin, end, which in places[number : number + 40] if end <= at + LENGTH - 40}
        if len(within) > best:
            best, start = len(within), max(0, at - 40)
    return start


def _html(text: str, start: int, end: int, places: list[tuple[int, int, str]]) -> SafeString:
    out, here = [], start
    for begin, stop, _ in places:
        if begin < here or stop > end:
            continue
        out += [escape(text[here:begin]), "<mark>", escape(text[begin:stop]), "</mark>"]
        here = stop
    return mark_safe("".join([*out, escape(text[here:end])]))
