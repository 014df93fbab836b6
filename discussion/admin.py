"""Moderation on the staff pages: the reports that wait, the comments, and the threads."""

from __future__ import annotations

from typing import Any

from django.contrib import admin, messages
from django.db.models import Count, Q, QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html

from accounts import audit
from discussion import moderating
from discussion.models import Comment, Report, Thread

EXCERPT = 120


class NoMaking(audit.Recorded):
    """People write here; staff read, hide and settle."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class WaitingFilter(admin.SimpleListFilter):
    """Shows what waits unless something else is asked for."""

    title = "state"
    parameter_name = "state"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("all", "All"), *((value, value.capitalize()) for value in Report.State.values if value != "open")]

    def choices(self, changelist: Any) -> Any:
        for value, label in [(None, "To settle"), *self.lookup_choices]:
            query = changelist.get_query_string({self.parameter_name: value} if value else {}, [self.parameter_name])
            yield {"selected": self.value() == value, "query_string": query, "display": label}

    def queryset(self, request: HttpRequest, queryset: QuerySet[Report]) -> QuerySet[Report]:
        value = self.value()
        return queryset if value == "all" else queryset.filter(state=value or Report.State.OPEN)


@admin.register(Report)
class ReportAdmin(audit.Watched, NoMaking):
    """The queue: /staff/discussion/report/ shows what waits, the oldest first."""

    person = "reporter"

    list_display = ("at", "why", "words", "said", "author", "page", "state")
    list_filter = (WaitingFilter, "why")
    list_select_related = ("comment__author", "comment__thread__lesson", "comment__thread__question")
    ordering = ("at",)
    actions = ("hide", "dismiss")
    show_full_result_count = False
    fields = ("at", "reporter", "why", "words", "said_whole", "author", "page", "state", "settled_at", "settled_by")
    readonly_fields = fields

    @admin.display(description="comment")
    def said(self, report: Report) -> str:
        text = report.comment.text[:EXCERPT] or "(deleted)"
        address = reverse("admin:discussion_comment_change", args=[report.comment_id])
        return format_html('<a href="{}">{}</a>', address, text)

    @admin.display(description="comment")
    def said_whole(self, report: Report) -> str:
        return format_html("<pre>{}</pre>", report.comment.text)

    @admin.display(description="its author")
    def author(self, report: Report) -> str:
        return str(report.comment.author or "–")

    @admin.display(description="in")
    def page(self, report: Report) -> str:
        return format_html('<a href="{}">{}</a>', report.comment.get_absolute_url(), report.comment.thread)

    @admin.action(description="Hide the comments", permissions=["change"])
    def hide(self, request: HttpRequest, queryset: QuerySet[Report]) -> None:
        pks = list(queryset.values_list("comment", flat=True))
        hidden = moderating.hide(pks, moderating.USUAL, request.user, timezone.now())
        messages.success(request, f"{hidden} hidden.")

    @admin.action(description="Dismiss the reports", permissions=["change"])
    def dismiss(self, request: HttpRequest, queryset: QuerySet[Report]) -> None:
        settled = moderating.settle(queryset, Report.State.DISMISSED, request.user, timezone.now())
        messages.success(request, f"{settled} dismissed.")


class ReportInline(admin.TabularInline):
    model = Report
    extra = 0
    can_delete = False
    fields = readonly_fields = ("at", "reporter", "why", "words", "state", "settled_by")

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(Comment)
class CommentAdmin(NoMaking):
    """Every comment, the latest first; the reason for hiding is what its author reads."""

    person = "author"

    list_display = ("created", "author", "said", "reported", "hidden_at", "link")
    list_filter = (("hidden_at", admin.EmptyFieldListFilter), "spoiler")
    list_select_related = ("author", "thread")
    search_fields = ("text", "author__email", "author__display_name")
    ordering = ("-pk",)
    actions = ("hide", "show", "take_words_away")
    show_full_result_count = False
    fields = (
        ("author", "thread", "parent"),
        ("created", "edited_at", "deleted_at", "hidden_at"),
        "text",
        ("spoiler", "hidden_why"),
    )
    readonly_fields = ("author", "thread", "parent", "created", "edited_at", "deleted_at", "hidden_at", "text")
    inlines = (ReportInline,)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Comment]:
        waiting = Count("reports", filter=Q(reports__state=Report.State.OPEN))
        return super().get_queryset(request).annotate(waiting=waiting)

    @admin.display(description="text")
    def said(self, comment: Comment) -> str:
        return comment.text[:EXCERPT] or "(deleted)"

    @admin.display(description="open reports", ordering="waiting")
    def reported(self, comment: Any) -> int:
        return int(comment.waiting)

    @admin.display(description="on the site")
    def link(self, comment: Comment) -> str:
        return format_html('<a href="{}">{}</a>', comment.get_absolute_url(), comment.thread)

    @admin.action(description="Hide", permissions=["change"])
    def hide(self, request: HttpRequest, queryset: QuerySet[Comment]) -> None:
        pks = list(queryset.values_list("pk", flat=True))
        messages.success(request, f"{moderating.hide(pks, moderating.USUAL, request.user, timezone.now())} hidden.")

    @admin.action(description="Show again", permissions=["change"])
    def show(self, request: HttpRequest, queryset: QuerySet[Comment]) -> None:
        shown = moderating.show(list(queryset.values_list("pk", flat=True)), request.user)
        messages.success(request, f"{shown} shown again.")

    @admin.action(description="Delete the words for good", permissions=["change"])
    def take_words_away(self, request: HttpRequest, queryset: QuerySet[Comment]) -> None:
        found = list(queryset.order_by("-pk"))
        messages.success(request, f"{moderating.take_words_away(found, request.user, timezone.now())} deleted.")


@admin.register(Thread)
class ThreadAdmin(NoMaking):
    """Threads: only whether one is about solutions is for staff to change."""

    person = "author"

    list_display = ("title", "author", "lesson", "question", "lab", "spoiler", "last_at")
    list_filter = ("spoiler",)
    list_select_related = ("author", "lesson", "question")
    search_fields = ("title", "author__email", "lab", "lesson__slug", "question__slug")
    ordering = ("-last_at",)
    show_full_result_count = False
    fields = ("title", "author", "lesson", "question", "lab", "spoiler", "created", "last_at")
    readonly_fields = ("title", "author", "lesson", "question", "lab", "created", "last_at")
