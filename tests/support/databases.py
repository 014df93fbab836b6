"""The tests' databases: one process of a run migrates, and the others start from copies of what it made."""

from __future__ import annotations

import fcntl
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from django.db import connection
from django.test.utils import setup_databases, teardown_databases

MIGRATED = "headroom_migrated"


@contextmanager
def migrated(shared: Path) -> Iterator[None]:
    """Give this process its empty test database. `shared` is a folder of all processes of the run.

    The connection's settings name the test database already; teardown drops it.
    """
    name = connection.creation._get_test_db_name()

    def make(note: Path) -> None:
        made.append(setup_databases(verbosity=0, interactive=False, serialized_aliases=set()))
        if connection.vendor == "sqlite":
            save(note)
        else:
            _copy(name, MIGRATED)
            note.touch()

    made: list[list[tuple[object, str, bool]]] = []
    note = once(shared / MIGRATED, make)
    if not made:
        if connection.vendor == "sqlite":
            shutil.copyfile(note, name)
        else:
            _copy(MIGRATED, name)
        made.append(setup_databases(verbosity=0, interactive=False, serialized_aliases=set(), keepdb=True))
    yield
    teardown_databases(made[0], verbosity=0)


def once(path: Path, make: Callable[[Path], None]) -> Path:
    """Return `path`, which the first process that asks for it makes, by `make`; the others wait for it."""
    with open(path.with_name(f"{path.name}.lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not path.exists():
            unfinished = path.with_name(f"{path.name}.unfinished")
            make(unfinished)
            unfinished.rename(path)
    return path


def save(path: Path) -> None:
    """Write all that the SQLite database holds into a file."""
    connection.ensure_connection()
    with closing(sqlite3.connect(path)) as file:
        connection.connection.backup(file)


def restore(path: Path) -> None:
    """Put what `save` wrote in the place of all that the SQLite database holds."""
    connection.ensure_connection()
    with closing(sqlite3.connect(path)) as file:
        file.backup(connection.connection)


def _copy(source: str, name: str) -> None:
    """Copy a PostgreSQL database that nobody is connected to."""
    connection.close()
    with connection.creation._nodb_cursor() as cursor:
        quoted = [connection.ops.quote_name(each) for each in (name, source)]
        cursor.execute(f"DROP DATABASE IF EXISTS {quoted[0]}")
        cursor.execute("CREATE DATABASE {} TEMPLATE {}".format(*quoted))
