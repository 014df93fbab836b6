"""What someone keeps about a page for themselves: a note, a bookmark, or both."""

from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q

from pages.models import OnPage


class Note(OnPage):
    """One person's note and bookmark on one page. Nobody else reads it, staff included.

    `revision` counts the saves of the text, so that two open tabs cannot overwrite each other unseen.
    """

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="notes")
    text = models.TextField(blank=True)
    revision = models.PositiveIntegerField(default=0)
    written_at = models.DateTimeField(null=True, blank=True)
    bookmarked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            *OnPage.Meta.constraints,
            # The person comes first: these serve the list of all that someone keeps as well.
            models.UniqueConstraint(fields=["user", "lesson"], name="one_note_a_lesson"),
            models.UniqueConstraint(fields=["user", "question"], name="one_note_a_question"),
            models.UniqueConstraint(fields=["user", "lab"], condition=~Q(lab=""), name="one_note_a_lab"),
        ]

    def __str__(self) -> str:
        return f"note {self.pk}"
