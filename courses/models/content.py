"""The curriculum as synced from its files. Written by `courses.sync` only; the HTML here is our own and clean."""

from __future__ import annotations

from typing import Any

from django.db import models
from django.urls import reverse

from accounts.access import Tier

TIERS = [(tier.value, tier.label) for tier in Tier]
LEVELS = [("foundational", "Foundational"), ("core", "Core"), ("advanced", "Advanced")]


class Course(models.Model):
    """A course: phases of lessons."""

    slug = models.SlugField(unique=True)
    title = models.CharField(max_length=200)
    summary = models.TextField()
    home_figure = models.TextField(blank=True, help_text="HTML of the measured figure on the home page.")
    home_calculator = models.SlugField(blank=True)
    stamp = models.CharField(max_length=32, blank=True, help_text="A digest of the whole curriculum as it was loaded.")

    def __str__(self) -> str:
        return self.title


class Phase(models.Model):
    """A part of a course, in order."""

    course = models.ForeignKey(Course, on_delete=models.CASCADE, related_name="phases")
    number = models.PositiveSmallIntegerField()
    title = models.CharField(max_length=200)
    summary = models.TextField()

    class Meta:
        ordering = ["number"]
        constraints = [models.UniqueConstraint(fields=["course", "number"], name="one_phase_a_number")]

    def __str__(self) -> str:
        return self.title


class Track(models.Model):
    """A line of interview questions, and the lessons behind them."""

    slug = models.SlugField(unique=True)
    title = models.CharField(max_length=200)
    summary = models.TextField()
    position = models.PositiveSmallIntegerField(default=0)

    class Meta:
        ordering = ["position"]

    def __str__(self) -> str:
        return self.title


class PageQuerySet(models.QuerySet[Any]):
    """Lessons or questions."""

    def shown(self) -> PageQuerySet:
        """Those whose file is there."""
        return self.filter(retired=False)


class Page(models.Model):
    """What lessons and questions share. `slug` is the id of the file; `version` a digest of it."""

    slug = models.SlugField(unique=True, max_length=80)
    title = models.CharField(max_length=300)
    summary = models.TextField(blank=True)
    level = models.CharField(max_length=16, choices=LEVELS)
    tier = models.CharField(max_length=16, choices=TIERS)
    minutes = models.PositiveSmallIntegerField()
    version = models.CharField(max_length=16)
    retired = models.BooleanField(default=False, help_text="The file is gone; people's work on it is kept.")

    objects = PageQuerySet.as_manager()

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return self.title

    @property
    def url(self) -> str:
        return self.get_absolute_url()

    def get_absolute_url(self) -> str:
        raise NotImplementedError


class Lesson(Page):
    """A lesson. Its text is in its sections."""

    phase = models.ForeignKey(Phase, on_delete=models.PROTECT, related_name="lessons")
    order = models.PositiveSmallIntegerField()
    track = models.ForeignKey(Track, null=True, blank=True, on_delete=models.SET_NULL, related_name="lessons")
    preview_sections = models.PositiveSmallIntegerField(default=2)
    learn = models.JSONField(default=list)
    interviewers = models.JSONField(default=list)
    terms = models.JSONField(default=list)
    labs = models.JSONField(default=list)
    artifact = models.JSONField(null=True, blank=True)
    reading = models.JSONField(default=list)
    prerequisites = models.ManyToManyField("self", symmetrical=False, blank=True, related_name="leads_to")
    questions: models.ManyToManyField[Question, Any] = models.ManyToManyField(
        "Question", blank=True, related_name="lessons"
    )

    class Meta:
        ordering = ["phase__number", "order"]

    def get_absolute_url(self) -> str:
        return reverse("courses:lesson", args=[self.slug])


class Question(Page):
    """An interview question. Its answers are in its sections; `free_short` is the tier of the short one."""

    track = models.ForeignKey(Track, on_delete=models.PROTECT, related_name="questions")
    free_short = models.CharField(max_length=16, choices=TIERS, default=Tier.FREE.value)
    rubric = models.JSONField(default=list)
    red_flags = models.JSONField(default=list)
    follow_ups = models.JSONField(default=list)
    calculator_html = models.TextField(blank=True)
    next = models.ForeignKey("self", null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    concepts = models.ManyToManyField(Lesson, blank=True, related_name="asked_in")

    class Meta:
        ordering = ["track__position", "title"]

    def get_absolute_url(self) -> str:
        return reverse("courses:question", args=[self.slug])


class Section(models.Model):
    """A rendered part of one lesson or one question. Never put one into a context that access did not open."""

    lesson = models.ForeignKey(Lesson, null=True, blank=True, on_delete=models.CASCADE, related_name="sections")
    question = models.ForeignKey(Question, null=True, blank=True, on_delete=models.CASCADE, related_name="sections")
    position = models.PositiveSmallIntegerField()
    slug = models.SlugField()
    title = models.CharField(max_length=200)
    html = models.TextField()
    text = models.TextField()

    class Meta:
        ordering = ["position"]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(lesson__isnull=False, question__isnull=True)
                | models.Q(lesson__isnull=True, question__isnull=False),
                name="a_section_has_one_page",
            ),
            models.UniqueConstraint(fields=["lesson", "slug"], name="one_section_a_slug_in_a_lesson"),
            models.UniqueConstraint(fields=["question", "slug"], name="one_section_a_slug_in_a_question"),
        ]

    def __str__(self) -> str:
        return self.title


class QuizItem(models.Model):
    """A quiz question of a lesson. `options` hold html, right and why; they stay on the server (`courses.quizzes`)."""

    lesson = models.ForeignKey(Lesson, on_delete=models.CASCADE, related_name="quiz")
    key = models.SlugField(max_length=80)
    position = models.PositiveSmallIntegerField()
    kind = models.CharField(max_length=16)
    prompt = models.TextField()
    options = models.JSONField(default=list)
    explanation = models.TextField()
    answer = models.FloatField(null=True, blank=True)
    unit = models.CharField(max_length=40, blank=True)
    tolerance = models.FloatField(default=0.01)
    version = models.CharField(max_length=16)
    retired = models.BooleanField(default=False)

    class Meta:
        ordering = ["position"]
        constraints = [models.UniqueConstraint(fields=["lesson", "key"], name="one_quiz_item_a_key")]

    def __str__(self) -> str:
        return self.key


class Alias(models.Model):
    """An id that a page had before: its address redirects."""

    kind = models.CharField(max_length=16, choices=[("lesson", "Lesson"), ("question", "Question")])
    old = models.SlugField(max_length=80)
    slug = models.SlugField(max_length=80)

    class Meta:
        verbose_name_plural = "aliases"
        constraints = [models.UniqueConstraint(fields=["kind", "old"], name="one_alias_an_id")]

    def __str__(self) -> str:
        return f"{self.old} → {self.slug}"
