"""What is kept of a person, as each app says it: for the export of everything, and for deletion.

An app writes a module `kept.py`, found by itself, that names each of its models that hang on a person:

    from accounts import personal
    personal.rows(Answer, "courses/answers", "Answers to questions, with your drafts and marks")

`python -m pytest tests/accounts/test_personal.py` fails while a model that leads to a person is not named.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import models

from accounts.models import User

Rows = Callable[[User], Iterable[dict[str, Any]]]
Files = Callable[[User], Iterable[tuple[str, bytes]]]
READABLE = ("slug", "key", "public_id", "email")
"""How a row that another row points to is named, where it has one of these; else by its number."""


@dataclass(frozen=True)
class Part:
    """One file of rows in the archive, and what happens to them when the account is deleted."""

    name: str
    title: str
    models: tuple[type[models.Model], ...]
    rows: Rows
    files: Files | None
    on_deletion: str


class CannotDelete(Exception):
    """Nothing was deleted; the message says why and what to do."""


_parts: dict[str, Part] = {}
_not_exported: dict[type[models.Model], str] = {}
_before_deletion: list[Callable[[User], None]] = []
_in_deletion: list[Callable[[User], None]] = []


def rows(
    model: type[models.Model],
    name: str,
    title: str,
    *,
    owner: str = "user",
    leave_out: Sequence[str] = (),
    files: Files | None = None,
    on_deletion: str = "deleted",
) -> None:
    """Export the rows of `model` whose `owner` (a path of fields) is the person, every column but `leave_out`."""
    columns = {field.name: _path(field) for field in model._meta.concrete_fields if field.name != owner}
    columns = {key: path for key, path in columns.items() if key not in leave_out}

    def read(user: User) -> Iterator[dict[str, Any]]:
        found = model._base_manager.filter(**{owner: user}).order_by("pk").values_list(*columns.values())
        return (dict(zip(columns, values, strict=True)) for values in found.iterator(chunk_size=200))

    part(name, title, model, files=files, on_deletion=on_deletion)(read)


def part(
    name: str, title: str, *covered: type[models.Model], files: Files | None = None, on_deletion: str = "deleted"
) -> Callable[[Rows], Rows]:
    """Register a function that returns a person's rows as dictionaries; `covered` are the models that it reads.

    `files` gives the files that they submitted, as names and bytes. `on_deletion` is what the page says happens to
    them: what is not deleted by cascade is changed by a function registered with `in_deletion`.
    """

    def register(function: Rows) -> Rows:
        if name in _parts:
            raise ValueError(f"two parts of the export are called {name}")
        _parts[name] = Part(name, title, covered, function, files, on_deletion)
        return function

    return register


def not_exported(model: type[models.Model], why: str) -> None:
    """Say of a model that leads to a person why its rows are not theirs to take along."""
    _not_exported[model] = why


def before_deletion(function: Callable[[User], None]) -> Callable[[User], None]:
    """Register what must end elsewhere first, outside our transaction. It may raise CannotDelete: then nothing goes."""
    _before_deletion.append(function)
    return function


def in_deletion(function: Callable[[User], None]) -> Callable[[User], None]:
    """Register a change of our own rows in the transaction of the deletion: what is kept, but no longer theirs."""
    _in_deletion.append(function)
    return function


def parts() -> list[Part]:
    return [_parts[name] for name in sorted(_parts)]


def known_models() -> set[type[models.Model]]:
    """Return the models that are exported, or of which it is said why they are not."""
    return {model for each in _parts.values() for model in each.models} | set(_not_exported)


def run_before_deletion(user: User) -> None:
    for function in _before_deletion:
        function(user)


def run_in_deletion(user: User) -> None:
    for function in _in_deletion:
        function(user)


def _path(field: Any) -> str:
    """Return what to read for a column: of another row its readable name."""
    if not field.is_relation:
        return str(field.name)
    names = {each.name for each in field.related_model._meta.concrete_fields}
    return next((f"{field.name}__{name}" for name in READABLE if name in names), field.attname)
