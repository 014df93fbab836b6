"""Write and read what someone keeps about pages. Nothing typed is lost, and nothing is overwritten unseen."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.db.models import F, QuerySet
from django.utils import timezone

from notes.models import Note
from pages.places import Place

LONGEST = 20_000
"""Letters in one note."""


class NotSaved(Exception):
    """The text was not taken; the sentence says why and what to do."""


class Conflict(NotSaved):
    """The note was saved from elsewhere since this one was loaded; `note` is what is there now."""

    def __init__(self, note: Note) -> None:
        self.note = note
        super().__init__(
            "This note was saved from another tab or device since you opened this page. Both texts are here: yours "
            "in the field, the other below it."
        )


def of(user: Any, place: Place) -> Note | None:
    """Return what a person keeps about a page."""
    return Note.objects.filter(user=user, **place.row).first()


def all_of(user: Any) -> QuerySet[Note]:
    """Return what a person keeps, with its pages, the latest first."""
    kept = Note.objects.filter(user=user).exclude(text="", bookmarked_at=None)
    return kept.select_related("lesson", "question").order_by(F("written_at").desc(nulls_last=True), "-pk")


@transaction.atomic
def save(user: Any, place: Place, text: str, revision: int) -> Note:
    """Keep `text` as the note that follows `revision` (0: none was there). Raises NotSaved, Conflict."""
    text = _checked(text)
    now = timezone.now()
    note, made = Note.objects.get_or_create(
        user=user, **place.row, defaults={"text": text, "revision": 1, "written_at": now}
    )
    if made or note.text == text:
        return note
    saved = Note.objects.filter(pk=note.pk, revision=revision).update(
        text=text, revision=F("revision") + 1, written_at=now
    )
    note.refresh_from_db()
    if not saved:
        raise Conflict(note)
    return note


def bookmark(user: Any, place: Place, on: bool) -> None:
    """Set a bookmark on a page, or take it away; doing it twice changes nothing."""
    now = timezone.now()
    if not on:
        Note.objects.filter(user=user, **place.row).update(bookmarked_at=None)
        return
    note, made = Note.objects.get_or_create(user=user, **place.row, defaults={"bookmarked_at": now})
    if not made and note.bookmarked_at is None:
        Note.objects.filter(pk=note.pk).update(bookmarked_at=now)


def _checked(text: str) -> str:
    text = text.replace("\r\n", "\n").replace("\x00", "\ufffd")
    if len(text) > LONGEST:
        raise NotSaved(
            f"This is {len(text):,} characters long and at most {LONGEST:,} are kept: shorten it. "
            "Your text is still in the field."
        )
    return text
