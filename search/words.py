"""Words, as they are indexed and looked for: the same on every database. Pure functions."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

LONGEST_QUERY = 200
MOST_WORDS = 8

_WORD = re.compile(r"[^\W_]+")
_TIDY = str.maketrans({"ß": "ss", "²": "2", "³": "3"})
# Left out of a query that has other words: as prefixes they fit everything. Whoever looks for "all to all" finds it.
_COMMON = frozenset(
    {
        *("a", "an", "and", "are", "as", "at", "be", "by", "do", "does", "for", "how", "i", "if", "in", "is", "it"),
        *("of", "on", "or", "the", "to", "what", "when", "which", "why"),
    }
)
_ENDINGS = ("ing", "ed", "es", "s")


def fold(text: str) -> str:
    """Return `text` in small letters, without accents and without the forms that only look different."""
    if text.isascii():
        return text.lower()
    plain = unicodedata.normalize("NFKD", text.translate(_TIDY)).casefold()
    return "".join(letter for letter in plain if not unicodedata.combining(letter))


def words(text: str) -> list[str]:
    """Return the words of a text in order: runs of letters and digits, folded."""
    return _WORD.findall(fold(text))


def joined(text: str) -> str:
    """Return the words of a text with one space between, as the index stores them."""
    return " ".join(words(text))


def query(text: str) -> list[str]:
    """Return the words that are looked for, each once: at most MOST_WORDS, the common ones left out beside others."""
    found = list(dict.fromkeys(words(text[:LONGEST_QUERY])))
    telling = [word for word in found if word not in _COMMON]
    return (telling or found)[:MOST_WORDS]


def stem(word: str) -> str:
    """Return the beginning that a word's other forms share: `checkpointing` and `checkpoints` give `checkpoint`.

    It is only ever a prefix to look for, so cutting too little finds less and cutting too much finds more.
    """
    if word.endswith("ss"):
        return word
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 4:
            return word.removesuffix(ending)
    return word


def distance(one: str, other: str, most: int) -> int:
    """Return how many letters must be added, dropped, changed or swapped with a neighbour; `most` + 1 where more.

    Optimal string alignment, row by row, left as soon as a whole row is above `most`.
    """
    if abs(len(one) - len(other)) > most:
        return most + 1
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        earlier, before, row = before, row, [i]
        for j, b in enumerate(other, 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (a != b))
            if i > 1 and j > 1 and a == other[j - 2] and one[i - 2] == b:
                cost = min(cost, earlier[j - 2] + 1)
            row.append(cost)
        if min(row) > most:
            return most + 1
    return row[-1]


def forgiven(word: str) -> int:
    """Return how many slips a word of this length may have and still be understood."""
    return 0 if len(word) < 4 else 1 if len(word) < 8 else 2


def nearest(word: str, known: Iterable[str]) -> str | None:
    """Return the known word that `word` is most likely a slip of; None where none is near enough."""
    most = forgiven(word)
    if most == 0:
        return None
    near = ((distance(word, each, most), each) for each in known)
    # the first letter is seldom wrong: between equals it decides
    best = min(((slips, each[0] != word[0], each) for slips, each in near if slips <= most), default=None)
    return best[2] if best else None
