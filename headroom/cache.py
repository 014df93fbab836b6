"""The cache, which may be gone: what asks it then gets the answer of an empty one.

It holds rate limits and nothing that cannot be made anew. With Redis down people must still be able to sign in and
read; the limits then do not hold, which is logged, and `/readyz` says that Redis is missing.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from django.core.cache import caches
from django.core.cache.backends.base import DEFAULT_TIMEOUT
from django.core.cache.backends.redis import RedisCache
from redis.exceptions import RedisError

log = logging.getLogger(__name__)


class ForgivingRedisCache(RedisCache):
    """Django's cache in Redis, without the exceptions of a Redis that does not answer.

    `add` then says that it has added: a lock on a cache that is gone guards nothing, and waiting for it would only
    make every request slow.
    """

    def add(self, key: Any, value: Any, timeout: Any = DEFAULT_TIMEOUT, version: Any = None) -> bool:
        return bool(_try(True, super().add, key, value, timeout, version))

    def get(self, key: Any, default: Any = None, version: Any = None) -> Any:
        return _try(default, super().get, key, default, version)

    def set(self, key: Any, value: Any, timeout: Any = DEFAULT_TIMEOUT, version: Any = None) -> None:
        _try(None, super().set, key, value, timeout, version)

    def touch(self, key: Any, timeout: Any = DEFAULT_TIMEOUT, version: Any = None) -> bool:
        return bool(_try(False, super().touch, key, timeout, version))

    def delete(self, key: Any, version: Any = None) -> bool:
        return bool(_try(False, super().delete, key, version))

    def get_many(self, keys: Any, version: Any = None) -> dict[Any, Any]:
        return _try({}, super().get_many, keys, version)

    def has_key(self, key: Any, version: Any = None) -> bool:
        return bool(_try(False, super().has_key, key, version))

    def incr(self, key: Any, delta: int = 1, version: Any = None) -> int:
        return _try(delta, super().incr, key, delta, version)

    def set_many(self, data: Any, timeout: Any = DEFAULT_TIMEOUT, version: Any = None) -> list[Any]:
        return _try([], super().set_many, data, timeout, version)

    def delete_many(self, keys: Any, version: Any = None) -> None:
        _try(None, super().delete_many, keys, version)

    def clear(self) -> None:
        _try(None, super().clear)

    def must_answer(self) -> None:
        """Raise what Redis raises where it does not answer."""
        super().get("must-answer")


def _try(otherwise: Any, method: Callable[..., Any], *args: Any) -> Any:
    try:
        return method(*args)
    except (RedisError, OSError) as error:
        log.error("the cache does not answer, so rate limits do not hold now: %s", error)
        return otherwise


def answers() -> bool:
    """Tell whether the cache is there, whatever it forgives."""
    cache = caches["default"]
    try:
        cache.must_answer() if isinstance(cache, ForgivingRedisCache) else cache.get("answers")
        return True
    except Exception:
        # Whatever the driver raises, the answer is the same.
        return False
