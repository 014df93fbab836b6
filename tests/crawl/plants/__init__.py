"""What is planted, a module an app, in alphabetical order: each has `plant(book: Book) -> None`."""

from __future__ import annotations

import importlib
import pkgutil

from tests.crawl.book import Book


def plant_all(book: Book) -> None:
    for module in sorted(pkgutil.iter_modules(__path__), key=lambda module: module.name):
        importlib.import_module(f"{__name__}.{module.name}").plant(book)
