"""Review: one card at a time. The other side of a card leaves the server when it is turned, a quiz's by an answer."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.http import urlencode
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from accounts.access import Person
from accounts.typed import whole_number
from courses import quizzes
from practice import cards, drawing, numbers, reviewing, schedule
from practice.models import GRADES

# the card that this person's session has turned over
TURNED = "turned"


@require_GET
@never_cache
def review(request: HttpRequest) -> HttpResponse:
    """Show the card that is next, or the one named by `card` where it is due; say so when nothing is."""
    return _page(request)


def _page(request: HttpRequest, problem: str = "", typed: str = "", status: int = 200) -> HttpResponse:
    if not request.user.is_authenticated:
        return render(request, "practice/review.html", {"visitor": True})
    person, now = Person.of(request.user), timezone.now()
    today = reviewing.today(request.user, person, now)
    context: dict[str, Any] = {"today": today, "problem": problem}
    wanted = request.GET.get("card") or request.POST.get("card")
    key = wanted if wanted in today.due else next(iter(today.due), None)
    if key:
        turned = request.session.get(TURNED) == key
        face = cards.face(key, turned, request.user, request.session, person, now)
        if face and face.shown:
            face = replace(face, shown=replace(face.shown, problem=problem, typed=typed))
        context["face"] = face
        history = reviewing.history(request.user, key)
        context["nth"] = len(history) + 1
        if face and face.turned:
            ahead = schedule.preview(history, today.day)
            context["grades"] = [(grade, word, schedule.in_words(ahead[grade])) for grade, word in GRADES]
    return render(request, "practice/review.html", context, status=status)


@require_POST
def turn(request: HttpRequest) -> HttpResponse:
    """Turn a card: a term or a question by asking for it, a quiz item or a number by an answer to it."""
    if not request.user.is_authenticated:
        return redirect("practice:review")
    person, now = Person.of(request.user), timezone.now()
    key = request.POST.get("card", "")
    if key not in cards.available(request.user, person, now):
        messages.error(request, "That card is not open to you any more.")
        return redirect("practice:review")
    kind, _, rest = key.partition(":")
    try:
        if kind == "quiz":
            _answer_quiz(request, rest)
        elif kind == "number" and (number := numbers.get(rest)):
            give_up = request.POST.get("do") == "show"
            drawing.answer(number, request.user, request.session, request.POST.get("answer", ""), give_up)
    except (quizzes.NotAnAnswer, drawing.NotAnAnswer) as problem:
        return _page(request, str(problem), request.POST.get("answer", ""), status=422)
    request.session[TURNED] = key
    return _to(key)


def _answer_quiz(request: HttpRequest, rest: str) -> None:
    item = cards.quiz_item(rest)
    if item is not None:
        response = quizzes.read(item, {name: request.POST.getlist(name) for name in request.POST})
        quizzes.record(item, response, request.user, request.session)


@require_POST
def grade(request: HttpRequest) -> HttpResponse:
    """Keep how well a card was known (`grade`, 1 to 4), as the `nth` time it came up."""
    if not request.user.is_authenticated:
        return redirect("practice:review")
    person, now = Person.of(request.user), timezone.now()
    key, given, nth = request.POST.get("card", ""), _number(request, "grade"), _number(request, "nth")
    if key not in cards.available(request.user, person, now):
        messages.error(request, "That card is not open to you any more. Its history is kept.")
        return redirect("practice:review")
    try:
        reviewing.grade(request.user, key, given, nth, now)
    except reviewing.NotTaken as problem:
        messages.warning(request, str(problem))
    if request.session.pop(TURNED, None) == key and key.startswith("number:"):
        number = numbers.get(key.removeprefix("number:"))
        if number:
            drawing.again(number, request.user, request.session)
    return redirect("practice:review")


@require_POST
def undo(request: HttpRequest) -> HttpResponse:
    """Take back the last grade of today and show its card again."""
    key = reviewing.undo(request.user, timezone.now()) if request.user.is_authenticated else None
    if key is None:
        messages.warning(request, "There is no grade of today to take back.")
        return redirect("practice:review")
    request.session.pop(TURNED, None)
    messages.success(request, "Taken back. Here is the card again.")
    return _to(key)


def _to(key: str) -> HttpResponse:
    return redirect(f"{reverse('practice:review')}?{urlencode({'card': key})}#card")


def _number(request: HttpRequest, name: str) -> int:
    return whole_number(request.POST.get(name, ""))
