"""What people did while practising. The content is in the courses' rows and in practice/numbers."""

from __future__ import annotations

from datetime import datetime

from django.conf import settings
from django.db import models

from courses.models import Answer, Question
from courses.timing import Clock

GRADES = [(1, "Again"), (2, "Hard"), (3, "Good"), (4, "Easy")]


class NumberTry(models.Model):
    """A number question as it was drawn for someone, and what they answered; open while `answered_at` is empty.

    The right answer is not stored: it is computed from `inputs` when there is something to compare with it.
    """

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="number_tries")
    number = models.SlugField(max_length=80)
    inputs = models.JSONField()
    drawn_at = models.DateTimeField(auto_now_add=True)
    typed = models.CharField(max_length=80, blank=True)
    right = models.BooleanField(null=True, blank=True)
    answered_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name_plural = "number tries"
        ordering = ["-answered_at", "-pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["user", "number"], condition=models.Q(answered_at__isnull=True), name="one_open_draw_a_number"
            )
        ]
        indexes = [models.Index(fields=["user", "number", "-answered_at"], name="number_tries_newest_first")]

    def __str__(self) -> str:
        return f"{self.user} at {self.number}"


class Review(models.Model):
    """One grade given to one card: the log from which the whole schedule follows.

    `day` is the learner's own date at that moment, so that a later change of their time zone rewrites nothing.
    `nth` counts the grades of this card: two tabs cannot give the same one twice.
    """

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="reviews")
    card = models.CharField(max_length=120)
    nth = models.PositiveIntegerField()
    grade = models.PositiveSmallIntegerField(choices=GRADES)
    day = models.DateField()
    at = models.DateTimeField()

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(fields=["user", "card", "nth"], name="a_card_is_graded_once_a_turn"),
            models.CheckConstraint(condition=models.Q(grade__in=(1, 2, 3, 4)), name="a_grade_is_one_of_four"),
        ]
        indexes = [models.Index(fields=["user", "day"], name="reviews_by_day")]

    def __str__(self) -> str:
        return f"{self.user} gave {self.card} {self.grade}"


class CardState(models.Model):
    """Where a card stands: computed from its reviews (`practice.schedule.replay`), kept to find what is due.

    Nothing is decided here: deleting every row and rebuilding them from the log gives the same rows.
    """

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="card_states")
    card = models.CharField(max_length=120)
    reviews = models.PositiveIntegerField()
    first_on = models.DateField()
    last_on = models.DateField()
    due_on = models.DateField()
    stability = models.FloatField(help_text="Days until recall falls to nine in ten.")
    difficulty = models.FloatField(help_text="1 to 10.")
    reviewed_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "card"], name="one_state_a_card")]

    def __str__(self) -> str:
        return f"{self.card} of {self.user}, due {self.due_on}"


class Mock(models.Model):
    """A mock interview: questions drawn for someone, answered one after the other against a clock."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="mocks")
    track = models.CharField(max_length=200, blank=True, help_text="The track's title; empty: every track.")
    level = models.CharField(max_length=16, blank=True)
    minutes = models.PositiveSmallIntegerField()
    started_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    marked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-started_at"]
        constraints = [
            models.UniqueConstraint(
                fields=["user"], condition=models.Q(finished_at__isnull=True), name="one_open_mock_a_person"
            )
        ]
        indexes = [models.Index(fields=["user", "-started_at"], name="mocks_newest_first")]

    def __str__(self) -> str:
        return f"Mock interview of {self.user}, {self.minutes} minutes"


class MockTurn(models.Model):
    """One question of a mock interview. What its writer marked is kept here as it was when they marked it."""

    mock = models.ForeignKey(Mock, on_delete=models.CASCADE, related_name="turns")
    question = models.ForeignKey(Question, on_delete=models.PROTECT, related_name="+")
    position = models.PositiveSmallIntegerField()
    minutes = models.PositiveSmallIntegerField()
    started_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)
    answer = models.ForeignKey(Answer, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    points = models.PositiveSmallIntegerField(null=True, blank=True, help_text="Of the rubric's weight, those made.")
    points_of = models.PositiveSmallIntegerField(null=True, blank=True)
    flags = models.PositiveSmallIntegerField(null=True, blank=True)

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(fields=["mock", "position"], name="one_turn_a_position"),
            models.UniqueConstraint(fields=["mock", "question"], name="a_question_is_asked_once_a_mock"),
        ]

    def __str__(self) -> str:
        return f"{self.position}: {self.question}"

    def clock(self, now: datetime) -> Clock | None:
        """Return this question's clock at `now`, None before it was asked."""
        return Clock(self.started_at, self.minutes, now) if self.started_at else None

    @property
    def seconds(self) -> int:
        """How long it took, 0 where it was never asked."""
        if self.started_at is None or self.ended_at is None:
            return 0
        return int((self.ended_at - self.started_at).total_seconds())
