"""Who of the staff did what with whose account and data: written once, never changed.

    audit.record(audit.GRANTED, by=request.user, about=person, what="premium until 2027-01-31")

A staff page of somebody's data is `Watched`: looking at it is noted too. Lists are not: they show that there is
something, and what is in it is one look further.

Entries name accounts by number and hold no address and no word of a person, so they can outlive an account. `by` is
empty for the command line. The database itself refuses to change one (migration 0002); what deletes them is
`accounts.retention`, after `KEPT`.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta
from typing import Any

from django.contrib import admin
from django.db import models
from django.http import HttpRequest, HttpResponse

from accounts.models import AuditEntry
from telemetry import context

VIEWED, GRANTED, CHANGED, DELETED, MODERATED = AuditEntry.Action

KEPT = timedelta(days=730)


def record(action: str, *, by: Any, about: int | None, what: str) -> None:
    """Note that `by` (a user, or None for the command line) did something about the account numbered `about`."""
    AuditEntry.objects.create(
        action=action,
        by=by.pk if by is not None else None,
        about=about,
        what=what[: AuditEntry.WHAT_LENGTH],
        request_id=context.request_id(),
    )


def name_of(row: models.Model) -> str:
    """Name a row without a word of a person: its kind, and the key that its address shows."""
    return f"{row._meta.verbose_name} {getattr(row, 'public_id', None) or row.pk}"


class Recorded(admin.ModelAdmin):
    """Staff pages on which what is changed is noted. `person` is the path of fields from a row to whose it is."""

    person = "user"

    def whose(self, row: Any) -> int | None:
        """Return the number of the account that a row belongs to."""
        for step in self.person.split("__") if self.person else ():
            row = getattr(row, step)
        return row.pk if row is not None else None

    def note(self, request: HttpRequest, action: str, row: Any, more: str = "") -> None:
        what = f"{name_of(row)}: {more}" if more else name_of(row)
        record(action, by=request.user, about=self.whose(row), what=what)

    def log_addition(self, request: HttpRequest, obj: Any, message: Any) -> Any:
        self.note(request, CHANGED, obj, "added")
        return super().log_addition(request, obj, message)

    def log_change(self, request: HttpRequest, obj: Any, message: Any) -> Any:
        self.note(request, CHANGED, obj, "; ".join(_changes(message)))
        return super().log_change(request, obj, message)

    def log_deletions(self, request: HttpRequest, queryset: Any) -> Any:
        for row in queryset:
            self.note(request, DELETED, row)
        return super().log_deletions(request, queryset)


class Watched(Recorded):
    """Staff pages of people's data: looking at a row is noted too."""

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        row = self.get_object(request, object_id) if request.method == "GET" else None
        if row is not None and self.has_view_permission(request, row):
            self.note(request, VIEWED, row)
        return super().change_view(request, object_id, form_url, extra_context)


def _changes(message: Any) -> Iterable[str]:
    """Return which fields of what were changed, by Django's account of a form; never their values."""
    if not isinstance(message, list):
        return
    for part in message:
        for done, about in part.items():
            fields = ", ".join(map(str, about.get("fields", [])))
            yield " ".join(filter(None, [done, str(about.get("name", "")), fields]))
