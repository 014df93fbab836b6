"""Interview questions: the list, one question, and writing an answer to it."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.safestring import mark_safe
from django.views.decorators.http import require_GET, require_POST

from accounts.access import Person, decide
from accounts.typed import whole_number, whole_numbers
from courses import answering, progress, shelf
from courses.models import Answer, Question
from courses.opening import SHORT, OpenedQuestion, open_question
from courses.views.base import Moved, is_htmx, moved, sign_in
from courses.views.base import question as find_question


@require_GET
@shelf.same_for_visitors
def index(request: HttpRequest) -> HttpResponse:
    """List the questions by track, with what opens each and which are answered."""
    person, now = Person.of(request.user), timezone.now()
    answered = progress.answered_ids(request.user)
    tracks: dict[int, dict[str, Any]] = {}
    for question in Question.objects.shown().select_related("track").order_by("track__position", "title"):
        track = tracks.setdefault(question.track_id, {"track": question.track, "rows": []})
        is_open = decide(question.tier, 0, person, now).is_open
        track["rows"].append({"question": question, "answered": question.pk in answered, "open": is_open})
    return shelf.page(request, "courses/questions.html", {"tracks": tracks.values()})


@require_GET
@shelf.same_for_visitors
def question(request: HttpRequest, slug: str) -> HttpResponse:
    """Show a question: its short answer, the field to answer it, and the worked answer as far as it is open."""
    try:
        found = find_question(slug)
    except Moved as to:
        return moved(to)
    return _page(request, found, open_question(found, Person.of(request.user), timezone.now()))


def _kept(found: Question) -> str:
    return f"answer-{found.pk}"


def _page(
    request: HttpRequest,
    found: Question,
    opened: OpenedQuestion,
    text: str | None = None,
    problem: answering.NotSaved | None = None,
    status: int = 200,
) -> HttpResponse:
    signed_in = request.user.is_authenticated
    last = answering.latest(request.user, found) if signed_in else None
    draft = answering.draft_of(request.user, found) if signed_in and opened.may_answer else None
    kept = request.session.get(_kept(found)) if signed_in else None
    restored = text is None and kept is not None
    other = problem.draft if isinstance(problem, answering.Conflict) else None
    context: dict[str, Any] = {
        "question": found,
        "opened": opened,
        "concepts": list(found.concepts.filter(retired=False)),
        "after": found.next if found.next and not found.next.retired else None,
        "text": text if text is not None else kept if restored else draft.text if draft else "",
        # after a conflict the next save is meant to replace what the person has now seen
        "revision": draft.revision if draft else 0,
        "restored": restored,
        "problem": str(problem) if problem else "",
        "other": other,
        "last": last,
        "clock": draft.clock(timezone.now()) if draft else None,
        "longest": answering.LONGEST,
        "locked": [
            *(heading.title for heading in opened.locked if heading.slug != SHORT),
            "The rubric, its red flags, and what they ask next",
        ],
    }
    if opened.whole:
        context |= {
            "calculator": mark_safe(found.calculator_html),
            "rubric": _marked(found.rubric, last.points if last else None),
            "red_flags": _marked([{"html": each} for each in found.red_flags], last.flags if last else None),
            "follow_ups": found.follow_ups,
        }
    return shelf.page(request, "courses/question.html", context, status)


def _marked(entries: list[dict[str, Any]], ticked: list[int] | None) -> list[dict[str, Any]]:
    return [{**entry, "number": number, "ticked": number in (ticked or [])} for number, entry in enumerate(entries)]


@require_POST
def answer(request: HttpRequest, slug: str) -> HttpResponse:
    """Save the draft of an answer (`do=save`) or hand it in (`do=submit`); `revision` is the draft it was based on."""
    try:
        found = find_question(slug)
    except Moved as to:
        return moved(to)
    text = request.POST.get("text", "")
    if not request.user.is_authenticated:
        return _keep_and_sign_in(request, found, text)
    opened = open_question(found, Person.of(request.user), timezone.now())
    if not opened.may_answer:
        return redirect(found)
    revision = _revision(request)
    submitting = request.POST.get("do") == "submit"
    try:
        saved = (answering.submit if submitting else answering.save_draft)(request.user, found, text, revision)
    except answering.NotSaved as problem:
        if is_htmx(request):
            # htmx swaps nothing on an error status, and this has to be seen
            return _saved(request, found, problem=problem, revision=revision)
        return _page(
            request, found, opened, text, problem, status=409 if isinstance(problem, answering.Conflict) else 422
        )
    request.session.pop(_kept(found), None)
    if submitting:
        return redirect(f"{found.get_absolute_url()}#worked")
    if is_htmx(request):
        return _saved(request, found, revision=saved.revision)
    messages.success(request, "Your draft is saved.")
    return redirect(f"{found.get_absolute_url()}#answer")


def _revision(request: HttpRequest) -> int:
    return whole_number(request.POST.get("revision", ""))


@require_POST
def timer(request: HttpRequest, slug: str) -> HttpResponse:
    """Start (`timer=start`) or stop the timer of an answer; what is in the field is saved with it."""
    try:
        found = find_question(slug)
    except Moved as to:
        return moved(to)
    text = request.POST.get("text", "")
    if not request.user.is_authenticated:
        return _keep_and_sign_in(request, found, text)
    opened = open_question(found, Person.of(request.user), timezone.now())
    if not opened.may_answer:
        return redirect(found)
    change = answering.start_timer if request.POST.get("timer") == "start" else answering.stop_timer
    try:
        change(request.user, found, text, _revision(request))
    except answering.NotSaved as problem:
        status = 409 if isinstance(problem, answering.Conflict) else 422
        return _page(request, found, opened, text, problem, status=status)
    request.session.pop(_kept(found), None)
    return redirect(f"{found.get_absolute_url()}#answer")


@login_required
@require_GET
def answers(request: HttpRequest, slug: str) -> HttpResponse:
    """Show what this person handed in to a question, newest first; their own words stay theirs whatever is open."""
    found = get_object_or_404(Question.objects.select_related("track"), slug=slug)
    rows = [
        {"answer": each, "points": len(each.points or []), "flags": len(each.flags or [])}
        for each in answering.history(request.user, found)
    ]
    return render(request, "courses/answers.html", {"question": found, "rows": rows, "of": len(found.rubric)})


def _saved(request: HttpRequest, found: Question, **context: Any) -> HttpResponse:
    context |= {"question": found, "now": timezone.now()}
    if isinstance(problem := context.get("problem"), answering.Conflict):
        context["other"] = problem.draft
        context["newest"] = problem.draft.revision if problem.draft else 0
    return render(request, "courses/answer_saved.html", context)


def _keep_and_sign_in(request: HttpRequest, found: Question, text: str) -> HttpResponse:
    """Keep what a signed-out person wrote until they come back; the session ended while they were writing."""
    if is_htmx(request):
        return _saved(request, found, signed_out=True, revision=request.POST.get("revision", "0"))
    if text.strip():
        request.session[_kept(found)] = text[: answering.LONGEST]
    return sign_in(request, f"{found.get_absolute_url()}#answer")


@require_POST
def mark(request: HttpRequest, slug: str) -> HttpResponse:
    """Keep which points and red flags a person found in their last answer."""
    try:
        found = find_question(slug)
    except Moved as to:
        return moved(to)
    if not request.user.is_authenticated:
        return sign_in(request, found.get_absolute_url())
    if not open_question(found, Person.of(request.user), timezone.now()).whole:
        return redirect(found)
    last: Answer | None = answering.latest(request.user, found)
    if last is None:
        raise Http404("no answer to mark")
    points, flags = (whole_numbers(request.POST.getlist(name)) for name in ("point", "flag"))
    answering.mark(last, points, flags)
    messages.success(request, "Your marks are kept with your answer.")
    return redirect(reverse("courses:question", args=[found.slug]) + "#rubric")
