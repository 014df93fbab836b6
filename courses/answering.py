"""Write, keep and hand in answers to interview questions. Nothing typed is lost, and nothing is overwritten unseen."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from courses.models import Answer, Question

LONGEST = 20_000


class NotSaved(Exception):
    """The text was not taken; the sentence says why and what to do."""


class Conflict(NotSaved):
    """The draft was saved from elsewhere since this one was loaded; `draft` is what is there now (None: handed in)."""

    def __init__(self, draft: Answer | None) -> None:
        self.draft = draft
        super().__init__(
            "This answer was saved from another tab or device since you opened this page. Both texts are here: "
            "yours in the field, the other below it."
            if draft
            else "This answer was handed in from another tab or device. Your text is still in the field: "
            "save it again to begin a new answer."
        )


def draft_of(user: Any, question: Question) -> Answer | None:
    """Return the draft of a person's next answer, if they began one."""
    return Answer.objects.filter(user=user, question=question, submitted_at=None).first()


@transaction.atomic
def save_draft(user: Any, question: Question, text: str, revision: int) -> Answer:
    """Keep `text` as the draft that follows `revision` (0: none was there). Raises NotSaved, Conflict."""
    text = _checked(text)
    draft = draft_of(user, question)
    if draft is None:
        if revision != 0:
            raise Conflict(None)
        draft, made = Answer.objects.get_or_create(
            user=user,
            question=question,
            submitted_at=None,
            defaults={"text": text, "revision": 1, "question_version": question.version},
        )
        if made:
            return draft
    if draft.text == text:
        return draft
    saved = Answer.objects.filter(pk=draft.pk, revision=revision, submitted_at=None).update(
        text=text, revision=F("revision") + 1, question_version=question.version
    )
    if not saved:
        draft.refresh_from_db()
        raise Conflict(draft)
    draft.text, draft.revision = text, revision + 1
    return draft


@transaction.atomic
def start_timer(user: Any, question: Question, text: str, revision: int) -> Answer:
    """Save the draft and start its timer; one that runs goes on. Raises NotSaved, Conflict."""
    draft = save_draft(user, question, text, revision)
    Answer.objects.filter(pk=draft.pk, submitted_at=None, timer_started_at=None).update(
        timer_started_at=timezone.now(), timer_minutes=question.minutes
    )
    draft.refresh_from_db()
    return draft


@transaction.atomic
def stop_timer(user: Any, question: Question, text: str, revision: int) -> Answer:
    """Save the draft and take its timer away: it is written without one from now on. Raises NotSaved, Conflict."""
    draft = save_draft(user, question, text, revision)
    Answer.objects.filter(pk=draft.pk, submitted_at=None).update(timer_started_at=None, timer_minutes=None)
    draft.refresh_from_db()
    return draft


@transaction.atomic
def submit(user: Any, question: Question, text: str, revision: int) -> Answer:
    """Hand in an answer: the draft becomes it. The same text sent twice is one answer. Raises NotSaved, Conflict."""
    if not text.strip():
        raise NotSaved("There is nothing to hand in yet: write your answer first, a few sentences are enough.")
    last = latest(user, question)
    if last and last.text == _checked(text) and draft_of(user, question) is None:
        return last
    draft = save_draft(user, question, text, revision)
    handed_in = Answer.objects.filter(pk=draft.pk, submitted_at=None).update(submitted_at=timezone.now())
    if not handed_in:
        raise Conflict(None)
    draft.refresh_from_db()
    return draft


def latest(user: Any, question: Question) -> Answer | None:
    """Return the last answer that a person handed in."""
    return Answer.objects.filter(user=user, question=question, submitted_at__isnull=False).first()


def history(user: Any, question: Question, limit: int = 50) -> list[Answer]:
    """Return what a person handed in to a question, newest first: whole, with the version each was an answer to."""
    return list(Answer.objects.filter(user=user, question=question, submitted_at__isnull=False)[:limit])


def mark(answer: Answer, points: list[int], flags: list[int]) -> None:
    """Keep which points of the rubric its writer found in the answer, and which red flags."""
    rubric, red_flags = len(answer.question.rubric), len(answer.question.red_flags)
    answer.points = sorted({point for point in points if 0 <= point < rubric})
    answer.flags = sorted({flag for flag in flags if 0 <= flag < red_flags})
    answer.save(update_fields=["points", "flags"])


def _checked(text: str) -> str:
    text = text.replace("\r\n", "\n").replace("\x00", "\ufffd")
    if len(text) > LONGEST:
        raise NotSaved(
            f"This is {len(text):,} characters long and at most {LONGEST:,} are kept: shorten it. "
            "Your text is still in the field."
        )
    return text
