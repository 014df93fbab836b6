"""What someone has done, and where they go on. It never goes backward by itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.utils import timezone

from accounts.access import Person
from courses.models import Answer, Lesson, LessonRead, Question
from courses.opening import lesson_decision


@dataclass(frozen=True)
class Part:
    """How far someone is in a phase."""

    title: str
    done: int
    total: int


@dataclass(frozen=True)
class Summary:
    """Everything done, for the account page. `recent` holds the last lessons read, newest first."""

    lessons_read: int
    lessons: int
    questions_answered: int
    questions: int
    phases: list[Part]
    recent: list[LessonRead]
    answers: list[Answer]
    go_on: Lesson | None


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


def next_lesson(user: Any, lessons: list[Lesson], read: set[int]) -> Lesson | None:
    """Return the first lesson, in the course's order, that someone has not read and may open."""
    person, now = Person.of(user), timezone.now()
    unread = (lesson for lesson in lessons if lesson.pk not in read)
    return next((lesson for lesson in unread if lesson_decision(lesson, person, now).is_open), None)


def summary(user: Any) -> Summary:
    """Count what someone has done in the courses: seven queries."""
    lessons = list(Lesson.objects.shown().select_related("phase"))
    read = read_ids(user)
    phases: dict[str, list[bool]] = {}
    for lesson in lessons:
        phases.setdefault(lesson.phase.title, []).append(lesson.pk in read)
    shown_questions = set(Question.objects.shown().values_list("pk", flat=True))
    return Summary(
        lessons_read=sum(lesson.pk in read for lesson in lessons),
        lessons=len(lessons),
        questions_answered=len(answered_ids(user) & shown_questions),
        questions=len(shown_questions),
        phases=[Part(title, sum(done), len(done)) for title, done in phases.items()],
        recent=list(LessonRead.objects.filter(user=user).select_related("lesson")[:5]),
        answers=list(
            Answer.objects.filter(user=user, submitted_at__isnull=False).select_related("question").defer("text")[:5]
        ),
        go_on=next_lesson(user, lessons, read),
    )


def outline(user: Any, person: Person) -> list[dict[str, Any]]:
    """Return the phases with their lessons, each with whether it is read and open to this person: two queries."""
    read, now = read_ids(user), timezone.now()
    phases: dict[int, dict[str, Any]] = {}
    for lesson in Lesson.objects.shown().select_related("phase", "track").order_by("phase__number", "order"):
        entry = {"lesson": lesson, "read": lesson.pk in read, "open": lesson_decision(lesson, person, now).is_open}
        phases.setdefault(lesson.phase_id, {"phase": lesson.phase, "lessons": []})["lessons"].append(entry)
    return list(phases.values())
