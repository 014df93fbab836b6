"""Addresses of services."""

import pytest
from django.db import OperationalError, connections
from django.db.backends.base.base import NO_DB_ALIAS
from django.db.backends.sqlite3.base import DatabaseWrapper

from headroom import services
from headroom.env import BadEnvironment


def test_postgresql_over_tcp() -> None:
    settings = services.database("postgresql://me:p%40ss@db.example:6432/head%20room?sslmode=require")
    named = {name: settings[name] for name in ("NAME", "USER", "PASSWORD", "HOST", "PORT", "OPTIONS")}
    assert named == {
        "NAME": "head room",
        "USER": "me",
        "PASSWORD": "p@ss",
        "HOST": "db.example",
        "PORT": "6432",
        "OPTIONS": {"sslmode": "require"},
    }


def test_postgresql_over_a_socket() -> None:
    settings = services.database("postgresql:///headroom?host=/run/postgresql")
    assert (settings["HOST"], settings["PORT"], settings["OPTIONS"]) == ("/run/postgresql", "", {})


def test_a_database_address_must_name_a_database() -> None:
    with pytest.raises(BadEnvironment, match="DATABASE_URL names no database; expected postgresql://"):
        services.database("postgresql://me@db.example/")


@pytest.mark.parametrize(("url", "path"), [("sqlite:////data/a.db", "/data/a.db"), ("sqlite:///a.db", "a.db")])
def test_sqlite(url: str, path: str) -> None:
    assert services.database(url)["NAME"] == path


def test_sqlite_is_shared_between_processes(tmp_path, django_db_blocker) -> None:
    """A reader waits for nobody; a transaction takes the write lock when it starts, and others wait for it."""
    settings = {**connections.databases["default"], **services.sqlite(tmp_path / "a.db")}
    with django_db_blocker.unblock():
        one, other = DatabaseWrapper(settings, NO_DB_ALIAS), DatabaseWrapper(settings, NO_DB_ALIAS)
        with one.cursor() as cursor:
            assert cursor.execute("PRAGMA journal_mode").fetchone() == ("wal",)
            assert cursor.execute("PRAGMA busy_timeout").fetchone() == (20_000,)
            cursor.execute("CREATE TABLE t (n INTEGER)")
        one.set_autocommit(False, force_begin_transaction_with_broken_autocommit=True)
        with other.cursor() as cursor:
            assert cursor.execute("SELECT count(*) FROM t").fetchone() == (0,)
            cursor.execute("PRAGMA busy_timeout = 0")
            # Nothing has been written yet, and still:
            with pytest.raises(OperationalError, match="locked"):
                cursor.execute("INSERT INTO t VALUES (1)")
        one.rollback()
        one.close()
        other.close()


@pytest.mark.parametrize(
    ("redis_url", "broker"),
    [
        ("redis://:secret@host:6379/2", "redis://:secret@host:6379/2"),
        ("unix:///run/a.sock?db=3", "redis+socket:///run/a.sock?virtual_host=3"),
        ("unix:///run/a.sock", "redis+socket:///run/a.sock?virtual_host=0"),
    ],
)
def test_broker(redis_url: str, broker: str) -> None:
    assert services.broker(redis_url) == broker


@pytest.mark.parametrize(
    ("url", "port", "ssl", "tls"),
    [
        ("smtp://mail.example", 25, False, False),
        ("smtp+tls://me:pw@mail.example", 587, False, True),
        ("smtps://me:pw@mail.example:2465", 2465, True, False),
    ],
)
def test_mail(url: str, port: int, ssl: bool, tls: bool) -> None:
    settings = services.mail(url)
    assert (settings["EMAIL_PORT"], settings["EMAIL_USE_SSL"], settings["EMAIL_USE_TLS"]) == (port, ssl, tls)
    assert settings["EMAIL_HOST"] == "mail.example"


def test_celery_reaches_a_redis_on_a_socket(redis_url: str) -> None:
    from kombu import Connection

    with Connection(services.broker(redis_url)) as connection:
        queue = connection.SimpleQueue("test")
        queue.put({"n": 1})
        assert queue.get(timeout=5).payload == {"n": 1}
        queue.close()
