"""What the staff pages of several apps have in common."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.http import HttpRequest


class OnlyRead(admin.ModelAdmin):
    """Rows that staff find and read, and nobody makes, changes or deletes here."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False
