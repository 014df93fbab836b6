"""Turn the addresses of services (database, Redis, mail) into what Django and Celery expect."""

from email.utils import parseaddr
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from headroom.env import REQUIRED, BadEnvironment, Env

DATABASE_SCHEMES = ("postgres", "postgresql", "sqlite")
REDIS_SCHEMES = ("redis", "rediss", "unix")
MAIL_SCHEMES = ("smtp", "smtps", "smtp+tls")


SIGN_IN = {"github": "https://github.com", "google": "https://accounts.google.com"}
"""The sites that people may sign in with, and where each asks them."""


def sign_in_providers(env: Env) -> dict[str, Any]:
    """Return allauth's settings for the sites whose GITHUB_ or GOOGLE_CLIENT_ID and _CLIENT_SECRET are set."""
    options: dict[str, dict[str, Any]] = {
        "github": {"SCOPE": ["read:user", "user:email"]},
        "google": {"SCOPE": ["profile", "email"], "OAUTH_PKCE_ENABLED": True},
    }
    found = {}
    for name in SIGN_IN:
        prefix = name.upper()
        client_id = env.text(f"{prefix}_CLIENT_ID", None)
        secret = env.text(f"{prefix}_CLIENT_SECRET", REQUIRED if client_id else None, secret=True)
        if secret and not client_id:
            raise BadEnvironment(f"{prefix}_CLIENT_SECRET is set without {prefix}_CLIENT_ID; set both or neither.")
        if client_id:
            found[name] = options[name] | {"APPS": [{"client_id": client_id, "secret": secret, "key": ""}]}
    return found


def sign_in_hosts(providers: dict[str, Any]) -> list[str]:
    """Return the origins that the sign-in form leads on to."""
    return [SIGN_IN[name] for name in providers]


def database(url: str) -> dict[str, Any]:
    """Return Django's settings for a database address.

    `sqlite:///relative.db`, `sqlite:////absolute.db`, `postgresql://user:password@host:5432/name?sslmode=require`;
    a PostgreSQL socket folder goes into the query: `postgresql:///name?host=/run/postgresql`.
    """
    parts = urlsplit(url)
    if parts.scheme == "sqlite":
        return sqlite(Path(unquote(parts.path.removeprefix("/"))))
    name = unquote(parts.path.removeprefix("/"))
    if not name:
        raise BadEnvironment(
            "the environment variable DATABASE_URL names no database; expected postgresql://user:password@host:5432/name."
        )
    options: dict[str, Any] = dict(parse_qsl(parts.query))
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": name,
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": options.pop("host", parts.hostname or ""),
        "PORT": options.pop("port", str(parts.port or "")),
        "OPTIONS": options,
        "CONN_MAX_AGE": 60,
        "CONN_HEALTH_CHECKS": True,
    }


def sqlite(path: Path) -> dict[str, Any]:
    """Return settings for one SQLite file that several processes share.

    Readers and one writer go side by side under WAL. A transaction takes the write lock when it starts: one that read
    first and asked for it later would fail at once with "database is locked" instead of waiting its turn.
    """
    return {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": str(path),
        "OPTIONS": {
            "transaction_mode": "IMMEDIATE",
            "timeout": 20,
            "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA temp_store=MEMORY;",
        },
    }


def broker(redis_url: str) -> str:
    """Return Celery's spelling of a Redis address: it calls a Unix socket `redis+socket://`."""
    parts = urlsplit(redis_url)
    if parts.scheme != "unix":
        return redis_url
    number = dict(parse_qsl(parts.query)).get("db", "0")
    return f"redis+socket://{parts.path}?virtual_host={number}"


def mail(url: str) -> dict[str, Any]:
    """Return Django's EMAIL_* settings for `smtp://user:password@host:port` (plain), `smtp+tls://` or `smtps://`."""
    parts = urlsplit(url)
    implicit, upgraded = parts.scheme == "smtps", parts.scheme == "smtp+tls"
    return {
        "EMAIL_BACKEND": "django.core.mail.backends.smtp.EmailBackend",
        "EMAIL_HOST": parts.hostname or "",
        "EMAIL_PORT": parts.port or (465 if implicit else 587 if upgraded else 25),
        "EMAIL_HOST_USER": unquote(parts.username or ""),
        "EMAIL_HOST_PASSWORD": unquote(parts.password or ""),
        "EMAIL_USE_SSL": implicit,
        "EMAIL_USE_TLS": upgraded,
        "EMAIL_TIMEOUT": 20,
    }


def security_contact(env: Env, sender: str) -> str:
    """Return where faults are reported: SECURITY_CONTACT (mailto: or https:), else the sender of our mail."""
    given = env.text("SECURITY_CONTACT", None)
    if given is None:
        return f"mailto:{parseaddr(sender)[1]}"
    if not given.startswith(("mailto:", "https://")) or any(character.isspace() for character in given):
        raise BadEnvironment(
            f'the environment variable SECURITY_CONTACT is "{given}"; expected mailto:ADDRESS or https://ADDRESS.'
        )
    return given
