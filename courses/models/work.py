"""What people did: read, answered, tried."""

from __future__ import annotations

from datetime import datetime

from django.conf import settings
from django.db import models

from courses.models.content import Lesson, Question, QuizItem
from courses.timing import Clock, spell


class LessonRead(models.Model):
    """Someone has read a lesson; the first time counts."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="lessons_read")
    lesson = models.ForeignKey(Lesson, on_delete=models.PROTECT, related_name="reads")
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-at"]
        constraints = [models.UniqueConstraint(fields=["user", "lesson"], name="a_lesson_is_read_once")]

    def __str__(self) -> str:
        return f"{self.user} read {self.lesson}"


class Answer(models.Model):
    """A written answer: the draft while `submitted_at` is empty, then kept as it was, with its writer's marks.

    `revision` counts the saves of the draft, so that two open tabs cannot overwrite each other unseen.
    """

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="answers")
    question = models.ForeignKey(Question, on_delete=models.PROTECT, related_name="answers")
    text = models.TextField(blank=True)
    revision = models.PositiveIntegerField(default=0)
    question_version = models.CharField(max_length=16)
    points = models.JSONField(null=True, blank=True, help_text="Which points of the rubric its writer ticked.")
    flags = models.JSONField(null=True, blank=True, help_text="Which red flags its writer found in it.")
    started_at = models.DateTimeField(auto_now_add=True)
    submitted_at = models.DateTimeField(null=True, blank=True)
    timer_started_at = models.DateTimeField(null=True, blank=True, help_text="Empty: written without a timer.")
    timer_minutes = models.PositiveSmallIntegerField(null=True, blank=True)

    class Meta:
        ordering = ["-submitted_at"]
        constraints = [
            models.UniqueConstraint(
                fields=["user", "question"], condition=models.Q(submitted_at__isnull=True), name="one_draft_a_question"
            )
        ]
        indexes = [models.Index(fields=["user", "question", "-submitted_at"], name="answers_newest_first")]

    def __str__(self) -> str:
        return f"{self.user} on {self.question}"

    def clock(self, now: datetime) -> Clock | None:
        """Return the timer that this is written against as it stands at `now`; None without one."""
        if self.timer_started_at is None or self.timer_minutes is None:
            return None
        return Clock(self.timer_started_at, self.timer_minutes, now)

    @property
    def time_used(self) -> str:
        """How long the writing took against the timer, in words; "" without one or while it is a draft."""
        if self.timer_started_at is None or self.submitted_at is None:
            return ""
        return spell(int((self.submitted_at - self.timer_started_at).total_seconds()))


class QuizAttempt(models.Model):
    """One try at one quiz item: what was answered, and how much of it was right, 0 to 1."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="quiz_attempts")
    item = models.ForeignKey(QuizItem, on_delete=models.PROTECT, related_name="attempts")
    response = models.JSONField()
    score = models.FloatField()
    item_version = models.CharField(max_length=16)
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-at"]
        indexes = [models.Index(fields=["user", "item", "-at"], name="attempts_newest_first")]

    def __str__(self) -> str:
        return f"{self.user} at {self.item}: {self.score:.2f}"
