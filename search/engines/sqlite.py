"""Full text with SQLite's FTS5: an index beside the table, kept by triggers."""

from __future__ import annotations

from collections.abc import Sequence

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

NAMED, SAID = 10.0, 1.0
"""How much a word weighs in a title, and in a text."""

_DROP = [
    "DROP TRIGGER IF EXISTS search_entry_added",
    "DROP TRIGGER IF EXISTS search_entry_gone",
    "DROP TRIGGER IF EXISTS search_entry_changed",
    "DROP TABLE IF EXISTS search_entry_words",
]
_ADD = "INSERT INTO search_entry_words(rowid, named, said) VALUES (new.id, new.named, new.said);"
_REMOVE = (
    "INSERT INTO search_entry_words(search_entry_words, rowid, named, said) "
    "VALUES ('delete', old.id, old.named, old.said);"
)
_CREATE = [
    "CREATE VIRTUAL TABLE search_entry_words USING fts5(named, said, content='search_entry', content_rowid='id', "
    "tokenize=\"unicode61 remove_diacritics 0\", prefix='2 3 4')",
    f"CREATE TRIGGER search_entry_added AFTER INSERT ON search_entry BEGIN {_ADD} END",
    f"CREATE TRIGGER search_entry_gone AFTER DELETE ON search_entry BEGIN {_REMOVE} END",
    f"CREATE TRIGGER search_entry_changed AFTER UPDATE ON search_entry BEGIN {_REMOVE} {_ADD} END",
    "INSERT INTO search_entry_words(search_entry_words) VALUES ('rebuild')",
]


def create(editor: BaseDatabaseSchemaEditor) -> None:
    for statement in [*_DROP, *_CREATE]:
        editor.execute(statement)


def drop(editor: BaseDatabaseSchemaEditor) -> None:
    for statement in _DROP:
        editor.execute(statement)


def match(
    connection: BaseDatabaseWrapper, prefixes: Sequence[str], opens: Sequence[str], every: bool, limit: int
) -> list[int]:
    if not prefixes or not opens:
        return []
    wanted = (" AND " if every else " OR ").join(f'"{prefix}"*' for prefix in prefixes)
    places = ", ".join(["%s"] * len(opens))
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT entry.id FROM search_entry_words JOIN search_entry AS entry ON entry.id = search_entry_words.rowid "
            f"WHERE search_entry_words MATCH %s AND entry.opens IN ({places}) "
            f"ORDER BY bm25(search_entry_words, {NAMED}, {SAID}), entry.id LIMIT %s",
            [wanted, *opens, limit],
        )
        return [row[0] for row in cursor.fetchall()]
