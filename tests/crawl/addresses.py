"""Every address of the site: each named pattern with every value that the database has for its arguments."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

from django.apps import apps
from django.db import models
from django.urls import NoReverseMatch, URLPattern, URLResolver, converters, get_resolver, reverse

from courses import calculators
from grader import catalog

MOST_A_PATTERN = 2000
KEYS = 6
"""How many rows' numbers stand for all of them, in addresses that name a row by its number."""


def every_address() -> list[str]:
    """Return them in the order of the URL configuration, each once."""
    pools = _Pools()
    found: dict[str, None] = {}
    for name, arguments, most in _patterns(get_resolver(), "", {}):
        values = [pools.of(argument, converter) for argument, converter in arguments.items()]
        for chosen in itertools.islice(itertools.product(*values), most):
            try:
                found.setdefault(reverse(name, kwargs=dict(zip(arguments, chosen, strict=True))))
            except NoReverseMatch:
                continue
    return list(found)


def _patterns(at: URLResolver, namespace: str, outer: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any], int]]:
    for each in at.url_patterns:
        arguments = {**outer, **_arguments(each)}
        if isinstance(each, URLResolver):
            inner = f"{namespace}{each.namespace}:" if each.namespace else namespace
            yield from _patterns(each, inner, arguments)
        elif isinstance(each, URLPattern) and each.name:
            # Links with keys that nobody can guess hold nothing of ours: a few wrong ones stand for all.
            theirs = each.callback.__module__.startswith("allauth.")
            yield f"{namespace}{each.name}", arguments, KEYS if theirs else MOST_A_PATTERN


def _arguments(each: URLPattern | URLResolver) -> dict[str, Any]:
    known = dict(each.pattern.converters)
    return {name: known.get(name) for name in {**known, **dict.fromkeys(each.pattern.regex.groupindex)}}


class _Pools:
    """The values for an argument: those of the model fields of that name, else everything of its kind."""

    def __init__(self) -> None:
        self.by_field: dict[str, dict[Any, None]] = {}
        self.slugs: dict[Any, None] = dict.fromkeys(
            [each.slug for each in catalog.all_labs()] + [each.id for each in calculators.all_calculators()]
        )
        self.keys: dict[Any, None] = {}
        for model in apps.get_models():
            for field in model._meta.concrete_fields:
                if isinstance(field, models.SlugField | models.CharField | models.UUIDField):
                    values = dict.fromkeys(model._base_manager.values_list(field.attname, flat=True))
                    self.by_field.setdefault(field.name, {}).update(values)
                    if isinstance(field, models.SlugField) and field.unique:
                        self.slugs.update(values)
                elif field.primary_key:
                    self.keys.update(dict.fromkeys(model._base_manager.values_list("pk", flat=True)[:KEYS]))

    def of(self, argument: str, converter: Any) -> list[Any]:
        if isinstance(converter, converters.IntConverter) or argument in ("object_id", "pk", "id"):
            return sorted(key for key in self.keys if isinstance(key, int))[:KEYS]
        values = self.by_field.get(argument, {})
        if argument == "slug" or not values:
            values = self.slugs
        return [value for value in values if value not in (None, "")]
