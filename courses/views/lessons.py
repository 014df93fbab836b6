"""A lesson, its quiz, and noting that it was read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_GET, require_POST

from accounts.access import Decision, Person
from courses import lab_links, progress, quizzes, shelf
from courses.models import Lesson, Question, QuizItem
from courses.opening import OpenedLesson, lesson_decision, read_lesson
from courses.views.base import Moved, is_htmx, moved, sign_in
from courses.views.base import lesson as find_lesson


@dataclass(frozen=True)
class Shared:
    """What of a lesson is the same for everyone to whom as much of it is open. `quiz` is empty unless all of it is."""

    opened: OpenedLesson
    prerequisites: list[Lesson]
    labs: list[lab_links.LabLink]
    questions: list[Question]
    quiz: list[QuizItem]
    untried: dict[int, quizzes.ShownItem]
    terms: list[dict[str, str]]
    locked: list[str]


@require_GET
@shelf.same_for_visitors
def lesson(request: HttpRequest, slug: str) -> HttpResponse:
    """Show a lesson as far as this person may see it, and what opens the rest."""
    return _page(request, slug)


def _page(request: HttpRequest, slug: str, problems: dict[str, str] | None = None, status: int = 200) -> HttpResponse:
    in_order: list[Lesson] = shelf.kept("lessons", progress.in_order)
    here = next((number for number, each in enumerate(in_order) if each.slug == slug), None)
    if here is None:
        try:
            find_lesson(slug)
        except Moved as to:
            return moved(to)
        raise Http404("no such lesson")
    found, now = in_order[here], timezone.now()
    decision = lesson_decision(found, Person.of(request.user), now)
    shared = shelf.kept(("lesson", slug, decision), lambda: _shared(found, decision))
    read = progress.read_ids(request.user)
    context: dict[str, Any] = {
        "lesson": found,
        "phases": _rail(in_order, here, read),
        "read": found.pk in read,
        "before": in_order[here - 1] if here else None,
        "after": in_order[here + 1] if here + 1 < len(in_order) else None,
        **{name: getattr(shared, name) for name in ("opened", "prerequisites", "labs", "questions", "terms", "locked")},
    }
    if shared.opened.whole:
        context["quiz"] = quiz = _quiz(request, shared, problems or {})
        context["quiz_tried"] = sum(item.tries > 0 for item in quiz)
        context["quiz_right"] = sum(item.best == 1.0 for item in quiz)
    return shelf.page(request, "courses/lesson.html", context, status)


def _shared(found: Lesson, decision: Decision) -> Shared:
    opened = read_lesson(found, decision)
    quiz = list(found.quiz.filter(retired=False)) if opened.whole else []
    return Shared(
        opened=opened,
        prerequisites=list(found.prerequisites.all()),
        labs=lab_links.links(found.labs),
        questions=list(found.questions.filter(retired=False)),
        quiz=quiz,
        untried={item.pk: quizzes.show(item, None) for item in quiz},
        terms=[term for term in found.terms if term["section"] in {each.slug for each in opened.sections}],
        locked=_locked(found, opened),
    )


def _rail(in_order: list[Lesson], here: int, read: set[int]) -> list[dict[str, Any]]:
    phases: dict[int, dict[str, Any]] = {}
    for number, each in enumerate(in_order):
        row = {"lesson": each, "read": each.pk in read, "here": number == here}
        phases.setdefault(each.phase_id, {"phase": each.phase, "lessons": []})["lessons"].append(row)
    return list(phases.values())


def _locked(found: Lesson, opened: OpenedLesson) -> list[str]:
    """Say what the rest of a locked lesson holds: titles and a count, never text."""
    if opened.whole:
        return []
    count = found.quiz.filter(retired=False).count()
    quiz = [f"A quiz of {count}"] if count else []
    return [heading.title for heading in opened.locked] + quiz


def _quiz(request: HttpRequest, shared: Shared, problems: dict[str, str]) -> list[quizzes.ShownItem]:
    tried = quizzes.attempts(shared.quiz, request.user, request.session.get(quizzes.VISITOR, {}))
    return [
        quizzes.show(item, tried.get(item.pk), problems.get(item.key, ""))
        if item.pk in tried or item.key in problems
        else shared.untried[item.pk]
        for item in shared.quiz
    ]


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
