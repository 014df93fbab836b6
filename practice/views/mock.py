"""Mock interviews: set one up, answer it question by question, mark it, read the report."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from accounts.access import Person, decide
from accounts.typed import whole_number, whole_numbers
from courses import answering
from courses.models.content import LEVELS
from practice import mocks, report
from practice.models import Mock, MockTurn


@require_GET
@never_cache
def index(request: HttpRequest) -> HttpResponse:
    """Offer a new mock interview, the one that runs, and those before."""
    return _index(request)


def _index(request: HttpRequest, problem: str = "", status: int = 200) -> HttpResponse:
    if not request.user.is_authenticated:
        return render(request, "practice/mock_index.html", {"visitor": True})
    fitting = mocks.open_questions(Person.of(request.user), timezone.now())
    tracks = {question.track.slug: question.track.title for question in fitting}
    levels = [(level, word) for level, word in LEVELS if any(question.level == level for question in fitting)]
    past = mocks.newest(request.user)
    context = {
        "tracks": tracks.items(),
        "levels": levels,
        "lengths": mocks.LENGTHS,
        "count": len(fitting),
        "running": next((mock for mock in past if not mock.finished_at), None),
        "past": [mock for mock in past if mock.finished_at],
        "problem": problem,
        "chosen": request.POST,
    }
    return render(request, "practice/mock_index.html", context, status=status)


@login_required
@require_POST
def start(request: HttpRequest) -> HttpResponse:
    """Draw the questions and begin; one that runs already goes on."""
    sent = request.POST.get("minutes", "")
    minutes = int(sent) if sent in {str(each) for each in mocks.LENGTHS} else mocks.LENGTHS[1]
    track, level = request.POST.get("track", ""), request.POST.get("level", "")
    try:
        begun = mocks.start(request.user, Person.of(request.user), track, level, minutes, timezone.now())
    except mocks.NothingToAsk as problem:
        return _index(request, str(problem), status=422)
    return redirect("practice:mock", begun.pk)


@login_required
@never_cache
@require_GET
def mock(request: HttpRequest, pk: int) -> HttpResponse:
    """Show the question that is asked; after the last one the rubrics to mark by, and then the report."""
    found = get_object_or_404(Mock, pk=pk, user=request.user)
    if found.finished_at is None:
        return _asking(request, found)
    if found.marked_at is None or "mark" in request.GET:
        return _marking(request, found)
    now = timezone.now()
    made = report.of(found, mocks.asked(mocks.turns(found)), Person.of(request.user), now)
    return render(request, "practice/mock_report.html", {"mock": found, "report": made})


def _asking(
    request: HttpRequest,
    found: Mock,
    text: str | None = None,
    problem: answering.NotSaved | None = None,
    status: int = 200,
) -> HttpResponse:
    turns = mocks.turns(found)
    turn = mocks.current(turns)
    draft = answering.draft_of(request.user, turn.question) if turn else None
    context = {
        "mock": found,
        "turn": turn,
        "turns": len(turns),
        "clock": turn.clock(timezone.now()) if turn else None,
        "text": text if text is not None else draft.text if draft else "",
        "restored": bool(text is None and turn and draft and turn.started_at and draft.started_at < turn.started_at),
        "revision": draft.revision if draft else 0,
        "problem": str(problem) if problem else "",
        "other": problem.draft if isinstance(problem, answering.Conflict) else None,
        "longest": answering.LONGEST,
    }
    return render(request, "practice/mock_asking.html", context, status=status)


@login_required
@require_POST
def answer(request: HttpRequest, pk: int) -> HttpResponse:
    """End the question that is asked (`do=next`), passing over it without a text, or the interview (`do=end`)."""
    found = get_object_or_404(Mock.objects.select_related("user"), pk=pk, user=request.user)
    text = request.POST.get("text", "")
    position, revision = (whole_number(request.POST.get(name, "")) for name in ("position", "revision"))
    try:
        mocks.hand_in(found, position, text, revision, timezone.now(), stop=request.POST.get("do") == "end")
    except mocks.NotNow as problem:
        messages.warning(request, str(problem))
    except answering.NotSaved as problem:
        status = 409 if isinstance(problem, answering.Conflict) else 422
        return _asking(request, found, text, problem, status)
    return redirect("practice:mock", found.pk)


def _marking(request: HttpRequest, found: Mock) -> HttpResponse:
    person, now = Person.of(request.user), timezone.now()
    rows: list[dict[str, Any]] = []
    for turn in mocks.asked(mocks.turns(found)):
        is_open = decide(turn.question.tier, 0, person, now).is_open
        rows.append({"turn": turn, "open": is_open, **(_rubric(turn) if is_open else {})})
    return render(request, "practice/mock_marking.html", {"mock": found, "rows": rows})


def _rubric(turn: MockTurn) -> dict[str, Any]:
    made = (turn.answer.points or []) if turn.answer else []
    shown = (turn.answer.flags or []) if turn.answer else []
    points = [(number, each["html"], number in made) for number, each in enumerate(turn.question.rubric)]
    flags = [(number, html, number in shown) for number, html in enumerate(turn.question.red_flags)]
    return {"points": points, "flags": flags}


@login_required
@require_POST
def mark(request: HttpRequest, pk: int) -> HttpResponse:
    """Keep what this person found in their answers by the rubrics, and go to the report."""
    found = get_object_or_404(Mock, pk=pk, user=request.user, finished_at__isnull=False)
    positions = range(1, 1 + found.turns.count())
    points, flags = (
        {position: whole_numbers(request.POST.getlist(f"{name}-{position}")) for position in positions}
        for name in ("point", "flag")
    )
    mocks.mark(found, points, flags, Person.of(request.user), timezone.now())
    return redirect("practice:mock", found.pk)
