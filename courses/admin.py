"""The curriculum for editors to look at (its files are where it is changed), and people's answers for staff."""

from __future__ import annotations

from django.contrib import admin

from accounts import audit
from accounts.staff import OnlyRead
from courses.models import Alias, Answer, Course, Lesson, LessonRead, Phase, Question, QuizAttempt, QuizItem, Track


class FromFiles(OnlyRead):
    """Shown, not edited: the next sync would undo it."""


@admin.register(Lesson)
class LessonAdmin(FromFiles):
    list_display = ["title", "phase", "order", "level", "tier", "minutes", "version", "retired"]
    list_filter = ["retired", "tier", "level", "phase"]
    search_fields = ["slug", "title"]
    list_select_related = ["phase"]


@admin.register(Question)
class QuestionAdmin(FromFiles):
    list_display = ["title", "track", "level", "tier", "free_short", "version", "retired"]
    list_filter = ["retired", "tier", "level", "track"]
    search_fields = ["slug", "title"]
    list_select_related = ["track"]


@admin.register(QuizItem)
class QuizItemAdmin(FromFiles):
    list_display = ["key", "lesson", "kind", "version", "retired"]
    list_filter = ["retired", "kind"]
    search_fields = ["key", "lesson__slug"]
    list_select_related = ["lesson"]


class Work(audit.Watched, FromFiles):
    """What people did is theirs: staff may look when asked for help."""

    list_select_related = True
    search_fields = ["user__email"]


@admin.register(Answer)
class AnswerAdmin(Work):
    list_display = ["user", "question", "submitted_at", "question_version"]
    list_filter = ["submitted_at"]


@admin.register(QuizAttempt)
class QuizAttemptAdmin(Work):
    list_display = ["user", "item", "score", "at"]


@admin.register(LessonRead)
class LessonReadAdmin(Work):
    list_display = ["user", "lesson", "at"]


admin.site.register([Course, Phase, Track, Alias], FromFiles)
