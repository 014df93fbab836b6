"""Submissions for staff: to find and to read. Nobody edits a verdict."""

from __future__ import annotations

import json
from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import path
from django.utils.html import format_html

from accounts import audit
from accounts.staff import OnlyRead
from grader.verdict import Outcome
from labs import queue_page
from labs.models import Submission, Worker


class OutcomeFilter(admin.SimpleListFilter):
    title = "outcome"
    parameter_name = "outcome"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [(outcome.value, outcome.value.replace("_", " ")) for outcome in Outcome]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Submission]) -> QuerySet[Submission]:
        return queryset.filter(outcome=self.value()) if self.value() else queryset


@admin.register(Submission)
class SubmissionAdmin(audit.Watched, OnlyRead):
    """The ungradable ones are one filter away: /staff/labs/submission/?outcome=ungradable."""

    list_display = ("public_id", "user", "lab", "mode", "state", "outcome", "attempt", "worker", "created", "finished")
    list_filter = (OutcomeFilter, "state", "mode", "lab", "device")
    search_fields = ("public_id", "user__email")
    list_select_related = ("user",)
    ordering = ("-id",)
    fields = (
        ("public_id", "user", "lab", "mode", "device", "shared"),
        ("state", "attempt", "worker", "phase", "lease_until", "hinted_at"),
        ("created", "started", "finished"),
        ("outcome", "score", "grader_version"),
        "code",
        "verdict_text",
    )

    def get_urls(self) -> list[Any]:
        return [path("queue/", self.admin_site.admin_view(self.queue), name="labs_queue"), *super().get_urls()]

    def queue(self, request: HttpRequest) -> HttpResponse:
        """Show workers, their versions, and how much waits since when."""
        context = {**self.admin_site.each_context(request), "queue": queue_page.look()}
        return render(request, "admin/labs/queue.html", context)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Submission]:
        return super().get_queryset(request).defer("source", "verdict")

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        return tuple(name for row in self.fields for name in ((row,) if isinstance(row, str) else row))

    @admin.display(description="code")
    def code(self, submission: Submission) -> str:
        return format_html("<pre>{}</pre>", submission.code)

    @admin.display(description="verdict")
    def verdict_text(self, submission: Submission) -> str:
        """The verdict without its timelines, which are thousands of numbers."""
        verdict = {key: value for key, value in (submission.verdict or {}).items() if key != "timeline"}
        return format_html("<pre>{}</pre>", json.dumps(verdict, indent=2, ensure_ascii=False)) if verdict else "–"


@admin.register(Worker)
class WorkerAdmin(OnlyRead):
    """Workers write their own rows; staff only read them."""

    list_display = ("name", "queues", "version", "since", "seen")
