"""What a row that hangs on a page has in common."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.db.models import Q

from courses.models import Lesson, Question


class OnPage(models.Model):
    """A row that hangs on one lesson, one question or one lab.

    Lessons and questions are named by their row, which survives a new id; a lab has no row and is named by its slug.
    """

    lesson = models.ForeignKey(Lesson, null=True, blank=True, on_delete=models.PROTECT, related_name="+")
    question = models.ForeignKey(Question, null=True, blank=True, on_delete=models.PROTECT, related_name="+")
    lab = models.CharField(max_length=60, blank=True, default="")

    class Meta:
        abstract = True
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.CheckConstraint(
                condition=Q(lesson__isnull=False, question__isnull=True, lab="")
                | Q(lesson__isnull=True, question__isnull=False, lab="")
                | Q(lesson__isnull=True, question__isnull=True) & ~Q(lab=""),
                name="%(app_label)s_%(class)s_on_one_page",
            )
        ]
