"""One submission: where it stands, its verdict, its downloads, and what its owner may do with it."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from grader import catalog, timeline
from grader.verdict import Outcome, Verdict
from labs import gate, runners, status, tradeoff_page, verdict_page
from labs.models import Mode, State, Submission
from labs.views import attachment


def _status(submission: Submission) -> status.Status:
    ahead = submission.ahead() if submission.state == State.QUEUED else 0
    runner = submission.state != State.QUEUED or runners.alive(submission.device)
    return status.describe(submission, ahead, timezone.now(), runner=runner)


def _lab_title(slug: str) -> str:
    try:
        return catalog.get(slug).title
    except KeyError:  # a lab that was taken out of the catalogue; its submissions stay readable
        return slug


@require_GET
@never_cache
@gate.visible_submission
def page(request: HttpRequest, submission: Submission) -> HttpResponse:
    """Show a submission: its live status, or its verdict."""
    context: dict[str, Any] = {
        "submission": submission,
        "lab_title": _lab_title(submission.lab),
        "mine": submission.user_id == request.user.pk,
        "is_run": submission.mode == Mode.RUN,
    }
    if submission.state != State.DONE:
        return render(request, "labs/waiting.html", context | {"status": _status(submission)})
    return render(request, "labs/verdict.html", context | _verdict_context(submission))


def _verdict_context(submission: Submission) -> dict[str, Any]:
    verdict = Verdict.from_json(submission.verdict or {})
    public_only = submission.mode == Mode.RUN
    yours = verdict_page.runs(verdict).get("yours")
    return {
        "verdict": verdict,
        "headline": verdict_page.headline(verdict, public_only=public_only),
        "label": verdict_page.label(verdict.outcome),
        "tone": verdict_page.tone(verdict.outcome),
        "passed_checks": sum(check.passed for check in verdict.checks),
        "seconds": submission.finished - submission.started if submission.finished and submission.started else None,
        "checks": verdict_page.checks(verdict),
        "measurements": verdict_page.measurements(verdict.measurements),
        "peak_tensors": verdict_page.peak_tensors(verdict),
        "next_steps": verdict_page.next_steps(verdict),
        "passed": verdict.outcome is Outcome.PASSED,
        "plot": verdict_page.picture(verdict),
        "plot_data": verdict_page.plot_data(verdict),
        "peak_text": verdict_page.peak_text(verdict),
        "kinds": verdict_page.kinds(yours) if yours else [],
        "tradeoff": tradeoff_page.context(verdict),
        "moments": verdict_page.moments(yours) if yours else [],
    }


@require_GET
@never_cache
@gate.visible_submission
def status_fragment(request: HttpRequest, submission: Submission) -> HttpResponse:
    """Answer a poll: 204 where nothing changed since `seen`, a new fragment, or the news that it is over.

    The page asks more rarely as time goes by. At the end it is told to stop (286) and to load the verdict.
    """
    now = _status(submission)
    if now.over:
        return HttpResponse(status=286, headers={"HX-Refresh": "true"})
    if request.GET.get("seen") == now.token:
        return HttpResponse(status=204)
    return render(request, "labs/status.html", {"submission": submission, "status": now})


@require_GET
@never_cache
def as_json(request: HttpRequest, public_id: str) -> JsonResponse:
    """Return one's own submission as data, with its verdict when there is one."""
    submission = gate.own_submission(request, public_id)
    now = _status(submission)
    data = {
        "id": submission.public_id,
        "lab": submission.lab,
        "mode": submission.mode,
        "device": submission.device,
        "state": submission.state,
        "status": now.sentence,
        "attempt": submission.attempt,
        "created": submission.created,
        "started": submission.started,
        "finished": submission.finished,
        "outcome": submission.outcome or None,
        "score": submission.score if submission.state == State.DONE else None,
        "grader_version": submission.grader_version or None,
        "shared": submission.shared,
        "verdict": submission.verdict,
    }
    return JsonResponse(data)


@require_GET
@gate.visible_submission
def code(request: HttpRequest, submission: Submission) -> HttpResponse:
    """Download the submitted bytes as they came."""
    return attachment(bytes(submission.source), f"{submission.lab}-{submission.public_id}.py")


@require_GET
@gate.visible_submission
def timeline_csv(request: HttpRequest, submission: Submission) -> HttpResponse:
    """Download every point of every run's timeline, in bytes."""
    text = timeline.csv(verdict_page.runs(_with_timeline(submission)))
    return attachment(text.encode(), f"{submission.lab}-{submission.public_id}.csv", "text/csv; charset=utf-8")


@require_GET
@gate.visible_submission
def timeline_svg(request: HttpRequest, submission: Submission) -> HttpResponse:
    """Download the memory timeline as a picture."""
    picture = verdict_page.picture(_with_timeline(submission), standalone=True)
    return attachment(picture.encode(), f"{submission.lab}-{submission.public_id}.svg", "image/svg+xml")


@require_GET
@gate.visible_submission
def tradeoff_csv(request: HttpRequest, submission: Submission) -> HttpResponse:
    """Download every point of the plot of memory against work."""
    text = _placed(submission).csv()
    return attachment(text.encode(), f"{submission.lab}-{submission.public_id}-tradeoff.csv", "text/csv; charset=utf-8")


@require_GET
@gate.visible_submission
def tradeoff_svg(request: HttpRequest, submission: Submission) -> HttpResponse:
    """Download the plot of memory against work as a picture."""
    picture = _placed(submission).svg(standalone=True)
    return attachment(picture.encode(), f"{submission.lab}-{submission.public_id}-tradeoff.svg", "image/svg+xml")


def _placed(submission: Submission) -> tradeoff_page.Placed:
    verdict = Verdict.from_json(submission.verdict) if submission.verdict else None
    placed = tradeoff_page.place(verdict) if verdict else None
    if placed is None:
        raise Http404("this lab has no plot of the update that was measured")
    return placed


def _with_timeline(submission: Submission) -> Verdict:
    verdict = Verdict.from_json(submission.verdict) if submission.verdict else None
    if verdict is None or not verdict.timeline.get("yours"):
        raise Http404("no timeline was measured")
    return verdict


@require_POST
def cancel(request: HttpRequest, public_id: str) -> HttpResponse:
    """Stop one's own submission, unless its verdict came first."""
    submission = gate.own_submission(request, public_id)
    Submission.objects.cancel(submission.pk)
    return redirect("labs:submission", public_id=public_id)


@require_POST
def share(request: HttpRequest, public_id: str) -> HttpResponse:
    """Let anyone with the link see one's own submission, or stop that."""
    submission = gate.own_submission(request, public_id)
    Submission.objects.filter(pk=submission.pk).update(shared=request.POST.get("shared") == "yes")
    return redirect("labs:submission", public_id=public_id)
