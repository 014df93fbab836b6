"""What someone has done, and where they go on. It never goes backward by itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.db.models import Exists, OuterRef, QuerySet
from django.utils import timezone

from accounts.access import Person
from courses.models import Answer, Lesson, LessonRead
from courses.opening import lesson_decision


@dataclass(frozen=True)
class Lately:
    """What someone did last, newest first: lessons read, questions answered."""

    read: list[LessonRead]
    answers: list[Answer]


def read_ids(user: Any) -> set[int]:
    """Return the ids of the lessons that someone has read; a visitor has read none."""
    if not user.is_authenticated:
        return set()
    return set(LessonRead.objects.filter(user=user).values_list("lesson_id", flat=True))


def answered_ids(user: Any) -> set[int]:
    """Return the ids of the questions that someone has handed an answer in to."""
    if not user.is_authenticated:
        return set()
    handed_in = Answer.objects.filter(user=user, submitted_at__isnull=False)
    return set(handed_in.values_list("question_id", flat=True).distinct())


def record_read(user: Any, lesson: Lesson) -> bool:
    """Note that someone has read a lesson; tell whether that is new."""
    return LessonRead.objects.get_or_create(user=user, lesson=lesson)[1]


def next_lesson(person: Person, lessons: list[Lesson], read: set[int]) -> Lesson | None:
    """Return the first lesson, in the course's order, that someone has not read and may open."""
    now = timezone.now()
    unread = (lesson for lesson in lessons if lesson.pk not in read)
    return next((lesson for lesson in unread if lesson_decision(lesson, person, now).is_open), None)


def lately(user: Any, limit: int = 5) -> Lately:
    """Return what someone did last: two queries."""
    handed_in = Answer.objects.filter(user=user, submitted_at__isnull=False)
    return Lately(
        read=list(LessonRead.objects.filter(user=user).select_related("lesson")[:limit]),
        answers=list(handed_in.select_related("question").defer("text")[:limit]),
    )


def in_order() -> list[Lesson]:
    """Return the lessons in the course's order, with phase and track: one query."""
    return list(Lesson.objects.shown().select_related("phase", "track").order_by("phase__number", "order"))


def marked(lessons: QuerySet[Lesson], user: Any) -> QuerySet[Any]:
    """Note on each lesson, as `is_read`, whether this person has read it."""
    return lessons.annotate(
        is_read=Exists(LessonRead.objects.filter(user_id=user.pk or 0, lesson=OuterRef("pk")).order_by())
    )


def outline(user: Any, person: Person) -> list[dict[str, Any]]:
    """Return the phases with their lessons, each with whether it is read and open to this person: one query."""
    now = timezone.now()
    lessons = Lesson.objects.shown().select_related("phase", "track").order_by("phase__number", "order")
    phases: dict[int, dict[str, Any]] = {}
    for lesson in marked(lessons, user):
        is_open = lesson_decision(lesson, person, now).is_open
        entry = {"lesson": lesson, "read": lesson.is_read, "open": is_open}
        phases.setdefault(lesson.phase_id, {"phase": lesson.phase, "lessons": []})["lessons"].append(entry)
    return list(phases.values())
