"""What people practised, for staff to look at when someone asks for help. Nothing here is edited."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from accounts import audit
from accounts.staff import OnlyRead
from practice.models import CardState, Mock, MockTurn, NumberTry, Review


class Kept(audit.Watched, OnlyRead):
    """Shown, not changed: the schedule follows from the log, and the log is the person's own."""

    search_fields = ["user__email"]
    list_select_related = ["user"]


@admin.register(NumberTry)
class NumberTryAdmin(Kept):
    list_display = ["user", "number", "typed", "right", "answered_at"]
    list_filter = ["right", "number"]


@admin.register(Review)
class ReviewAdmin(Kept):
    list_display = ["user", "card", "nth", "grade", "day", "at"]


@admin.register(CardState)
class CardStateAdmin(Kept):
    list_display = ["user", "card", "reviews", "due_on", "stability", "difficulty"]


class Turns(admin.TabularInline):
    model = MockTurn
    extra = 0
    can_delete = False
    fields = ("position", "question", "minutes", "started_at", "ended_at", "points", "points_of", "flags")
    readonly_fields = fields

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(Mock)
class MockAdmin(Kept):
    list_display = ["user", "track", "level", "minutes", "started_at", "finished_at"]
    inlines = [Turns]
