"""Who may open which lab, and whose submissions one may see. Every view asks here."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone

from accounts.access import Decision, Person, decide
from grader import catalog
from grader.catalog import Lab
from labs.models import Submission


def lab_or_404(slug: str) -> Lab:
    try:
        return catalog.get(slug)
    except KeyError:
        raise Http404("no such lab") from None


def decision(request: HttpRequest, lab: Lab) -> Decision:
    """Return what this person may see of a lab. A lab has no preview: its summary is public, the rest is not."""
    return decide(lab.tier, 0, Person.of(request.user), timezone.now())


def own_submission(request: HttpRequest, public_id: str) -> Submission:
    """Return one's own submission. Raises Http404 for anyone else's, shared or not."""
    submission = None
    if request.user.is_authenticated:
        submission = Submission.objects.filter(public_id=public_id, user=request.user).first()
    if submission is None:
        raise Http404("no such submission")
    return submission


def visible_submission(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Hand a view one's own submission, or one that its owner shared; a 404 for all others.

    A shared one of a lab that is closed to the reader leads to the lab's page, which says what opens it.
    Own work stays one's own: it can be read when the plan that opened its lab has ended.
    """

    @wraps(view)
    def wrapped(request: HttpRequest, public_id: str, **rest: Any) -> HttpResponse:
        submission = Submission.objects.filter(public_id=public_id).first()
        if submission is None or not (submission.shared or submission.user_id == request.user.pk):
            raise Http404("no such submission")
        if submission.user_id != request.user.pk and not decision(request, lab_or_404(submission.lab)).is_open:
            return redirect("labs:lab", slug=submission.lab)
        return view(request, submission, **rest)

    return wrapped
