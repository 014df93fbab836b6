"""What the staff pages of several apps have in common."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.core.paginator import Paginator
from django.http import HttpRequest
from django.utils.functional import cached_property


class FirstPages(Paginator):
    """Pages of the first MOST rows: to count a million for a number in the corner would be most of a list's time.

    Who looks for a row further down narrows the list with its search and filters.
    """

    MOST = 10_000

    @cached_property
    def count(self) -> int:
        rows: Any = self.object_list
        return rows[: self.MOST].count()


class OnlyRead(admin.ModelAdmin):
    """Rows that staff find and read, and nobody makes, changes or deletes here."""

    paginator = FirstPages
    show_full_result_count = False

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False
