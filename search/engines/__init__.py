"""Full text on the database there is: FTS5 on SQLite, tsvector with a GIN index on PostgreSQL, behind one interface.

Both index the columns `named` and `said` of `search_entry` by themselves, by trigger or generated column: who writes
entries writes the index. Both read words that `search.words` has made and split at spaces, so they find the same.
A migration that has SQLite build `search_entry` anew must call `create` again: it drops the triggers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

from search.engines import postgres, sqlite


class Engine(Protocol):
    """What a database must be able to do."""

    def create(self, editor: BaseDatabaseSchemaEditor) -> None:
        """Make the index, also where it is there."""

    def drop(self, editor: BaseDatabaseSchemaEditor) -> None:
        """Take the index away."""

    def match(
        self, connection: BaseDatabaseWrapper, prefixes: Sequence[str], opens: Sequence[str], every: bool, limit: int
    ) -> list[int]:
        """Return the keys of the entries of the tiers `opens` with words that begin with the prefixes, best first.

        `every`: with all of them, else with any. One query, which reads no entry of another tier.
        """


def of(connection: BaseDatabaseWrapper) -> Engine:
    """Return the engine of a database."""
    engines: dict[str, Engine] = {"sqlite": sqlite, "postgresql": postgres}
    return engines[connection.vendor]
