"""The index over what the other modules planted: search is one more way to it."""

from __future__ import annotations

from search.indexing import rebuild
from tests.crawl.book import Book


def plant(book: Book) -> None:
    assert rebuild() > 0
