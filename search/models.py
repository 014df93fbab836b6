"""What can be found: one row for each piece of text that opens as a whole."""

from __future__ import annotations

from django.db import models

from accounts.access import Tier

KINDS = [
    ("lesson", "Lesson"),
    ("question", "Question"),
    ("lab", "Lab"),
    ("calculator", "Calculator"),
    ("term", "Key term"),
]
TIERS = [(tier.value, tier.label) for tier in Tier]


class Entry(models.Model):
    """A piece of a page. `opens` is the tier of this piece, by which every query is filtered; `tier` the page's.

    A page has one entry of its own, open to all, that holds its title and summary and no more, and one for each
    section. `named` and `said` are the folded words of `title` and `text`, which `search.engines` has indexed.
    Written by `search.indexing` only.
    """

    key = models.CharField(max_length=200, unique=True)
    page = models.CharField(max_length=120)
    kind = models.CharField(max_length=12, choices=KINDS)
    opens = models.CharField(max_length=12, choices=TIERS)
    tier = models.CharField(max_length=12, choices=TIERS)
    url = models.CharField(max_length=300)
    title = models.CharField(max_length=300)
    heading = models.CharField(max_length=200, blank=True)
    text = models.TextField(blank=True)
    named = models.TextField()
    said = models.TextField(blank=True)
    digest = models.CharField(max_length=32)

    class Meta:
        verbose_name_plural = "entries"

    def __str__(self) -> str:
        return self.key


class Word(models.Model):
    """A word of a title, a summary or a key term, for slips of the keyboard. `opens` is the most open tier it is in."""

    word = models.CharField(max_length=60, unique=True)
    length = models.PositiveSmallIntegerField()
    opens = models.CharField(max_length=12, choices=TIERS)

    class Meta:
        indexes = [models.Index(fields=["length", "opens"], name="search_word_by_length")]

    def __str__(self) -> str:
        return self.word
