"""How long what is kept of people is kept, as each app says it in its module `kept`: for the job and for the page.

    @retention.rule("labs/timelines", "Memory timelines of verdicts", timedelta(days=180))
    def forget(before: datetime) -> int:
        …delete what is older than `before`, return how much

`python manage.py retention` and a nightly task run every rule; `/account/data/` shows them. What no rule names is kept
until its account is deleted (`accounts.deleting`).
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import models

log = logging.getLogger(__name__)

Forget = Callable[[datetime], int]
BATCH = 500
"""Rows deleted in one transaction: a lock is held for moments only."""


@dataclass(frozen=True)
class Rule:
    """What goes how long after what: `since` completes "… days after …"."""

    name: str
    title: str
    keep: timedelta
    since: str
    forget: Forget

    @property
    def how_long(self) -> str:
        """The time in words, as the page shows it."""
        days = self.keep.days
        return f"{days} day{'' if days == 1 else 's'} after {self.since}" if days else f"gone when {self.since}"


_rules: dict[str, Rule] = {}


def rule(name: str, title: str, keep: timedelta, since: str = "they were made") -> Callable[[Forget], Forget]:
    """Register a function that deletes what is older than the moment it is given, and returns how much that was."""

    def register(function: Forget) -> Forget:
        if name in _rules:
            raise ValueError(f"two rules of retention are called {name}")
        _rules[name] = Rule(name, title, keep, since, function)
        return function

    return register


def rules() -> list[Rule]:
    return [_rules[name] for name in sorted(_rules)]


def run(now: datetime) -> dict[str, int]:
    """Run every rule at `now`; return how much each took away. One that fails does not stop the others."""
    taken: dict[str, int] = {}
    for each in rules():
        try:
            taken[each.name] = each.forget(now - each.keep)
        except Exception:  # whatever fails in one rule, the others are promised too
            log.exception("The rule of retention %s failed.", each.name)
    log.info("Retention: %s.", ", ".join(f"{name} {count}" for name, count in taken.items() if count) or "nothing")
    return taken


def in_batches(rows: models.QuerySet[Any]) -> int:
    """Delete rows, a batch in a transaction, with what hangs on them; return how many of them there were."""
    deleted = 0
    while pks := list(rows.order_by("pk").values_list("pk", flat=True)[:BATCH]):
        rows.model._base_manager.filter(pk__in=pks).delete()
        deleted += len(pks)
    return deleted
