"""A lesson, its quiz, and noting that it was read."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_GET, require_POST

from accounts.access import Person
from courses import lab_links, progress, quizzes
from courses.models import Lesson, QuizItem
from courses.opening import OpenedLesson, lesson_decision, open_lesson
from courses.views.base import Moved, is_htmx, moved, sign_in
from courses.views.base import lesson as find_lesson


@require_GET
def lesson(request: HttpRequest, slug: str) -> HttpResponse:
    """Show a lesson as far as this person may see it, and what opens the rest."""
    return _page(request, slug)


def _page(request: HttpRequest, slug: str, problems: dict[str, str] | None = None, status: int = 200) -> HttpResponse:
    person, now = Person.of(request.user), timezone.now()
    phases = progress.outline(request.user, person)
    in_order = [entry for phase in phases for entry in phase["lessons"]]
    here = next((number for number, entry in enumerate(in_order) if entry["lesson"].slug == slug), None)
    if here is None:
        try:
            find_lesson(slug)
        except Moved as to:
            return moved(to)
        raise Http404("no such lesson")
    found: Lesson = in_order[here]["lesson"]
    opened = open_lesson(found, person, now)
    context: dict[str, Any] = {
        "lesson": found,
        "opened": opened,
        "phases": phases,
        "read": in_order[here]["read"],
        "before": in_order[here - 1]["lesson"] if here else None,
        "after": in_order[here + 1]["lesson"] if here + 1 < len(in_order) else None,
        "prerequisites": list(found.prerequisites.all()),
        "labs": lab_links.links(found.labs),
        "questions": list(found.questions.filter(retired=False)),
        "terms": [term for term in found.terms if term["section"] in {each.slug for each in opened.sections}],
        "locked": _locked(found, opened),
    }
    if opened.whole:
        context["quiz"] = quiz = _quiz(request, found, problems or {})
        context["quiz_tried"] = sum(item.tries > 0 for item in quiz)
        context["quiz_right"] = sum(item.best == 1.0 for item in quiz)
    return render(request, "courses/lesson.html", context, status=status)


def _locked(found: Lesson, opened: OpenedLesson) -> list[str]:
    """Say what the rest of a locked lesson holds: titles and a count, never text."""
    if opened.whole:
        return []
    count = found.quiz.filter(retired=False).count()
    quiz = [f"A quiz of {count}"] if count else []
    return [heading.title for heading in opened.locked] + quiz


def _quiz(request: HttpRequest, found: Lesson, problems: dict[str, str]) -> list[quizzes.ShownItem]:
    items = list(found.quiz.filter(retired=False))
    tried = quizzes.attempts(items, request.user, request.session.get(quizzes.VISITOR, {}))
    return [quizzes.show(item, tried.get(item.pk), problems.get(item.key, "")) for item in items]


@require_POST
def answer_quiz(request: HttpRequest, slug: str, key: str) -> HttpResponse:
    """Grade one attempt at one quiz item and show its feedback; a visitor's attempts are kept in their session."""
    try:
        found = find_lesson(slug)
    except Moved as to:
        return moved(to)
    item = QuizItem.objects.filter(lesson=found, key=key, retired=False).first()
    if item is None:
        raise Http404("no such quiz item")
    if not lesson_decision(found, Person.of(request.user), timezone.now()).is_open:
        return redirect(found)
    try:
        response = quizzes.read(item, {name: request.POST.getlist(name) for name in request.POST})
    except quizzes.NotAnAnswer as problem:
        if is_htmx(request):
            return _item(request, found, quizzes.show(item, None, str(problem)))
        return _page(request, found.slug, {item.key: str(problem)}, status=422)
    tried = quizzes.record(item, response, request.user, request.session)
    if is_htmx(request):
        return _item(request, found, quizzes.show(item, tried))
    return redirect(f"{found.get_absolute_url()}#quiz-{item.key}")


def _item(request: HttpRequest, found: Lesson, shown: quizzes.ShownItem) -> HttpResponse:
    return render(request, "courses/quiz_item.html", {"lesson": found, "item": shown})


@require_POST
def mark_read(request: HttpRequest, slug: str) -> HttpResponse:
    """Note that this person has read the lesson."""
    try:
        found = find_lesson(slug)
    except Moved as to:
        return moved(to)
    if not request.user.is_authenticated:
        return sign_in(request, found.get_absolute_url())
    if lesson_decision(found, Person.of(request.user), timezone.now()).is_open:
        progress.record_read(request.user, found)
    return redirect(f"{found.get_absolute_url()}#read")
