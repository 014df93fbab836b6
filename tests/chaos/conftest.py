"""A database with a site's tables."""

from pathlib import Path

import pytest

from tests.chaos.site import Site
from tests.support import databases, postgres


@pytest.fixture(scope="session")
def tables(shared: Path) -> Path:
    """The data of a PostgreSQL with a site's tables and no rows: migrating takes seconds, and is done once a run."""
    return databases.once(shared / "postgres", _migrate) / "data"


def _migrate(folder: Path) -> None:
    folder.mkdir()
    with postgres.serving() as server:
        Site(folder, server.url, "redis://127.0.0.1:1/0").migrate()
        server.stop()
        server.keep(folder / "data")
