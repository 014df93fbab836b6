"""Questions on numbers: the list, one as it was drawn, and the answer to it."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from accounts.access import Decision, Person, decide
from courses.models import Lesson
from courses.views.base import is_htmx
from practice import drawing, numbers
from practice.models import NumberTry
from practice.numbers import Number


@require_GET
def index(request: HttpRequest) -> HttpResponse:
    """List the questions, with what opens each and which were worked out."""
    person, now = Person.of(request.user), timezone.now()
    rows = [(number, decide(number.tier, 0, person, now).is_open) for number in numbers.all_numbers()]
    done: set[str] = set()
    if request.user.is_authenticated:
        right = NumberTry.objects.filter(user=request.user, right=True)
        done = set(right.values_list("number", flat=True).distinct())
    else:
        kept = request.session.get(drawing.VISITOR, {})
        done = {number for number, entry in kept.items() if entry.get("right")}
    levels = [
        (level, [(number, is_open, number.id in done) for number, is_open in rows if number.level == level])
        for level in numbers.LEVELS
    ]
    return render(request, "practice/numbers.html", {"levels": levels})


@require_GET
@never_cache
def number(request: HttpRequest, number_id: str) -> HttpResponse:
    """Show one question with the parameters drawn for this person, and the solution once they answered."""
    found, decision = _find(request, number_id)
    return _page(request, found, decision)


@require_POST
def answer(request: HttpRequest, number_id: str) -> HttpResponse:
    """Grade what was typed (`answer`), or give up (`do=show`); what has two readings is asked back."""
    found, decision = _find(request, number_id)
    if not decision.is_open:
        return redirect("practice:number", found.id)
    typed = request.POST.get("answer", "")
    try:
        drawing.answer(found, request.user, request.session, typed, request.POST.get("do") == "show")
    except drawing.NotAnAnswer as problem:
        if is_htmx(request):
            # htmx swaps nothing on an error status, and this has to be seen
            return _part(request, found, str(problem), typed)
        return _page(request, found, decision, str(problem), typed, status=422)
    if is_htmx(request):
        return _part(request, found)
    return redirect("practice:number", found.id)


@require_POST
def again(request: HttpRequest, number_id: str) -> HttpResponse:
    """Draw new parameters, once the last ones were answered."""
    found, decision = _find(request, number_id)
    if decision.is_open:
        drawing.again(found, request.user, request.session)
    return redirect("practice:number", found.id)


def _find(request: HttpRequest, number_id: str) -> tuple[Number, Decision]:
    found = numbers.get(number_id)
    if found is None:
        raise Http404("no such number")
    return found, decide(found.tier, 0, Person.of(request.user), timezone.now())


def _page(
    request: HttpRequest, found: Number, decision: Decision, problem: str = "", typed: str = "", status: int = 200
) -> HttpResponse:
    shown = None
    if decision.is_open:
        shown = drawing.show(found, request.user, request.session, problem, typed)
    lesson = Lesson.objects.shown().filter(slug=found.lesson).first()
    context = {"number": found, "decision": decision, "shown": shown, "lesson": lesson}
    return render(request, "practice/number.html", context, status=status)


def _part(request: HttpRequest, found: Number, problem: str = "", typed: str = "") -> HttpResponse:
    shown = drawing.show(found, request.user, request.session, problem, typed)
    return render(request, "practice/number_card.html", {"number": found, "shown": shown})
