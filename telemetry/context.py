"""What this thread works on now: a request, a submission. Log lines, spans and reports of faults carry it.

    with context.about(request_id="…", submission="…"):
        …

A request's id is made or taken by the web process, kept with a submission's row, and bound again by the worker that
reads the row: the sandbox itself is told none of it.
"""

from __future__ import annotations

import contextvars
import re
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from types import MappingProxyType
from typing import TypeVar

_WELL_FORMED = re.compile(r"[A-Za-z0-9._-]{8,64}")
REQUEST_ID_LENGTH = 64

T = TypeVar("T")

_now: contextvars.ContextVar[Mapping[str, str]] = contextvars.ContextVar("now", default=MappingProxyType({}))


def current() -> Mapping[str, str]:
    """Return what is bound now, by name."""
    return _now.get()


def request_id() -> str:
    """Return the id of the request that this work began with; empty where it began with none."""
    return _now.get().get("request_id", "")


@contextmanager
def about(**names: str) -> Iterator[None]:
    """Bind these names within the block, beside those that are bound; an empty value binds nothing."""
    token = _now.set({**_now.get(), **{name: value for name, value in names.items() if value}})
    try:
        yield
    finally:
        _now.reset(token)


def carried(function: Callable[[], T]) -> Callable[[], T]:
    """Return `function` with what is bound now bound in it: a new thread starts with nothing."""
    here = contextvars.copy_context()
    return lambda: here.run(function)


def new_request_id(given: str | None = None) -> str:
    """Return the id that a proxy of ours gave, where it is one, else a new one of 32 hexadecimal digits."""
    return given if given and _WELL_FORMED.fullmatch(given) else uuid.uuid4().hex
