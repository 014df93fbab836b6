"""Take out of a text what must not stand in a log or leave the site: addresses of people, and secrets."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

_ADDRESS = re.compile(r"[\w.+%-]+@[\w-]+(?:\.[\w-]+)+")
_CREDENTIALS = re.compile(r"(?<=://)[^/\s@]+@")
_SECRET_NAME = re.compile(r"(KEY|SECRET|PASSWORD|TOKEN|DSN)$")
SHORTEST_SECRET = 8
"""Shorter values are not looked for: they would be found in words."""

_secrets: list[str] = []


def know(environment: Mapping[str, str]) -> None:
    """Remember the values of variables whose names say that they are secret."""
    found = (value for name, value in environment.items() if _SECRET_NAME.search(name))
    _secrets[:] = sorted({value for value in found if len(value) >= SHORTEST_SECRET}, key=len, reverse=True)
    _pattern.cache_clear()


@lru_cache(1)
def _pattern() -> re.Pattern[str]:
    return re.compile("|".join(map(re.escape, _secrets)) or r"(?!)")


def text(value: str) -> str:
    """Return `value` without secrets, without the credentials in addresses of services, without mail addresses."""
    value = _pattern().sub("[secret]", value)
    return _ADDRESS.sub("[address]", _CREDENTIALS.sub("[credentials]@", value))


def everything(value: Any) -> Any:
    """Return JSON-like data with every text in it scrubbed."""
    if isinstance(value, str):
        return text(value)
    if isinstance(value, Mapping):
        return {key: everything(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [everything(item) for item in value]
    return value
