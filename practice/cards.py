"""What someone can review: quiz items, key terms, questions and numbers of the lessons that they read and may open.

Access is asked anew each time: what a plan that ended has closed is not among the cards, whatever was reviewed before.
A card is known by a key that survives renamed pages: `quiz:12`, `term:3:term-saved-tensor`, `question:5`,
`number:kv-bytes-a-token`.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Q

from accounts.access import Person, decide
from courses import opening, quizzes
from courses.models import Lesson, Question, QuizItem
from practice import drawing, numbers
from practice.terms import definition

KINDS = {"quiz": "Quiz item", "term": "Key term", "question": "Interview question", "number": "Numbers"}


@dataclass(frozen=True)
class Face:
    """A card as it lies on the table; what is on the other side is there only when it was `turned`."""

    key: str
    kind: str
    turned: bool
    title: str
    url: str
    ask: str = ""
    back: str = ""
    lesson: Lesson | None = None
    item: quizzes.ShownItem | None = None
    shown: drawing.Shown | None = None
    points: tuple[str, ...] = ()

    @property
    def kind_in_words(self) -> str:
        return KINDS[self.kind]


def available(user: Any, person: Person, now: datetime) -> list[str]:
    """Return the keys of all the cards of a person, in the order of the course: three queries."""
    read = Lesson.objects.shown().filter(reads__user=user).select_related("phase").order_by("phase__number", "order")
    lessons = [lesson for lesson in read if opening.lesson_decision(lesson, person, now).is_open]
    if not lessons:
        return []
    keys: dict[int, list[str]] = {
        lesson.pk: [f"term:{lesson.pk}:{term['anchor']}" for term in lesson.terms] for lesson in lessons
    }
    by_slug = {lesson.slug: lesson.pk for lesson in lessons}
    for pk, lesson_id in QuizItem.objects.filter(lesson__in=keys, retired=False).values_list("pk", "lesson_id"):
        keys[lesson_id].append(f"quiz:{pk}")
    for number in numbers.all_numbers():
        if number.lesson in by_slug and decide(number.tier, 0, person, now).is_open:
            keys[by_slug[number.lesson]].append(f"number:{number.id}")
    ordered = [key for lesson in lessons for key in keys[lesson.pk]]
    asked = Question.objects.shown().filter(Q(lessons__in=keys) | Q(concepts__in=keys)).distinct()
    for pk, free_short in asked.values_list("pk", "free_short").order_by("pk"):
        if decide(free_short, 0, person, now).is_open:
            ordered.append(f"question:{pk}")
    return ordered


def face(key: str, turned: bool, user: Any, session: Any, person: Person, now: datetime) -> Face | None:
    """Return a card that is among the available ones; None where its content went away in between."""
    kind, _, rest = key.partition(":")
    make = {"quiz": _quiz, "term": _term, "question": _question, "number": _number}[kind]
    return make(key, rest, turned, user, session, person, now)


def _quiz(key: str, rest: str, turned: bool, user: Any, session: Any, person: Person, now: datetime) -> Face | None:
    item = quiz_item(rest)
    if item is None:
        return None
    tried = quizzes.attempts([item], user, {}).get(item.pk) if turned else None
    shown = quizzes.show(item, tried)
    lesson = item.lesson
    return Face(key, "quiz", tried is not None, lesson.title, lesson.url, lesson=lesson, item=shown)


def quiz_item(rest: str) -> QuizItem | None:
    """Return the quiz item that the rest of a key names."""
    return QuizItem.objects.filter(pk=int(rest), retired=False).select_related("lesson").first()


def _term(key: str, rest: str, turned: bool, user: Any, session: Any, person: Person, now: datetime) -> Face | None:
    pk, _, anchor = rest.partition(":")
    lesson = Lesson.objects.shown().filter(pk=int(pk)).first()
    term = next((each for each in lesson.terms if each["anchor"] == anchor), None) if lesson else None
    if lesson is None or term is None:
        return None
    back = ""
    if turned:
        opened = opening.open_lesson(lesson, person, now)
        html = next((section.html for section in opened.sections if section.slug == term["section"]), "")
        back = definition(html, anchor)
    return Face(key, "term", turned, lesson.title, f"{lesson.url}#{anchor}", ask=term["name"], back=back)


def _question(key: str, rest: str, turned: bool, user: Any, session: Any, person: Person, now: datetime) -> Face | None:
    question = Question.objects.shown().filter(pk=int(rest)).first()
    if question is None:
        return None
    back, points = "", ()
    if turned:
        opened = opening.open_question(question, person, now)
        back = opened.short.html if opened.short else ""
        points = tuple(point["html"] for point in question.rubric) if opened.whole else ()
    return Face(key, "question", turned, question.title, question.url, ask=question.title, back=back, points=points)


def _number(key: str, rest: str, turned: bool, user: Any, session: Any, person: Person, now: datetime) -> Face | None:
    number = numbers.get(rest)
    if number is None:
        return None
    shown = drawing.show(number, user, session, fresh=not turned)
    return Face(key, "number", shown.solution is not None, number.title, f"/practise/numbers/{number.id}/", shown=shown)
