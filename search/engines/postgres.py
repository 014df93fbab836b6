"""Full text with PostgreSQL: a generated tsvector column with a GIN index."""

from __future__ import annotations

from collections.abc import Sequence

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

# The configuration `simple` takes words as they are: the language is in `search.words`, once for both databases.
_CREATE = [
    "ALTER TABLE search_entry ADD COLUMN IF NOT EXISTS words tsvector GENERATED ALWAYS AS "
    "(setweight(to_tsvector('simple', named), 'A') || setweight(to_tsvector('simple', said), 'D')) STORED",
    "CREATE INDEX IF NOT EXISTS search_entry_words ON search_entry USING gin (words)",
]
_DROP = [
    "DROP INDEX IF EXISTS search_entry_words",
    "ALTER TABLE search_entry DROP COLUMN IF EXISTS words",
]


def create(editor: BaseDatabaseSchemaEditor) -> None:
    for statement in _CREATE:
        editor.execute(statement)


def drop(editor: BaseDatabaseSchemaEditor) -> None:
    for statement in _DROP:
        editor.execute(statement)


def match(
    connection: BaseDatabaseWrapper, prefixes: Sequence[str], opens: Sequence[str], every: bool, limit: int
) -> list[int]:
    if not prefixes or not opens:
        return []
    wanted = (" & " if every else " | ").join(f"'{prefix}':*" for prefix in prefixes)
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT id FROM search_entry, CAST(%s AS tsquery) AS wanted WHERE words @@ wanted AND opens = ANY(%s) "
            "ORDER BY ts_rank(words, wanted, 1) DESC, id LIMIT %s",
            [wanted, list(opens), limit],
        )
        return [row[0] for row in cursor.fetchall()]
