"""What changed between two texts of one's own in a lab: submissions, the draft, the starter."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.formats import date_format
from django.utils.timezone import localtime
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from grader import catalog
from grader.catalog import Lab
from grader.verdict import Verdict
from labs import comparing, gate, verdict_page
from labs.models import Draft, Submission

LISTED = 50
"""How many of one's submissions can be chosen from; an older one is still reached by its address."""

STARTER, DRAFT = "starter", "draft"


@dataclass(frozen=True)
class Choice:
    """One text that can be compared: its name in the address, and in words."""

    value: str
    words: str


@require_GET
@never_cache
def changes(request: HttpRequest, slug: str) -> HttpResponse:
    """Compare `from` with `to`: each is the id of an own submission in this lab, `draft` or `starter`.

    Left out, `to` is the newest submission and `from` the one before it. A 404 for what is not one's own.
    """
    if not request.user.is_authenticated:
        raise Http404("no such lab, or nothing of yours in it")
    lab = next((lab for lab in catalog.all_labs() if lab.slug == slug), None)
    mine = Submission.objects.filter(user=request.user, lab=slug).order_by("-id")
    listed = list(mine.light()[:LISTED])
    draft = Draft.objects.of(request.user, slug)
    if not listed and draft is None:
        raise Http404("nothing to compare")
    choices = _choices(listed, draft, lab if lab and gate.decision(request, lab).is_open else None)
    names = [choice.value for choice in choices]
    after = request.GET.get("to") or (listed[0].public_id if listed else DRAFT)
    before = request.GET.get("from") or _before(names, after)
    starter = lab if STARTER in names else None
    old, old_verdict = _text(before, mine, draft, starter)
    new, new_verdict = _text(after, mine, draft, starter)
    whole = "all" in request.GET
    context = {
        "slug": slug,
        "lab_title": lab.title if lab else slug,
        "choices": choices,
        "before": before,
        "after": after,
        "comparison": comparing.compare(old, new, context=None if whole else 3),
        "whole": whole,
        "figures": verdict_page.beside(old_verdict, new_verdict) if old_verdict and new_verdict else [],
    }
    return render(request, "labs/changes.html", context)


def _choices(listed: list[Submission], draft: Draft | None, lab: Lab | None) -> list[Choice]:
    """Return what can be compared, newest first; the starter only of a lab that is open."""
    found = [Choice(DRAFT, "the draft in the editor")] if draft else []
    for submission in listed:
        sent = date_format(localtime(submission.created), "j M, H:i:s")
        outcome = verdict_page.label(submission.outcome) or submission.get_state_display()
        found.append(Choice(submission.public_id, f"{sent}, {submission.get_mode_display().lower()}: {outcome}"))
    return found + ([Choice(STARTER, "the starter")] if lab else [])


def _before(names: list[str], after: str) -> str:
    """Return what stands before `after` in time: the next of the list, or itself where nothing does."""
    place = names.index(after) + 1 if after in names else 0
    return names[place] if place < len(names) else after


def _text(name: str, mine: Any, draft: Draft | None, lab: Lab | None) -> tuple[str, Verdict | None]:
    """Return a text and its verdict, if it has one. Raises Http404."""
    if name == DRAFT and draft is not None:
        return draft.text, None
    if name == STARTER and lab is not None:
        return lab.starter, None
    submission = mine.filter(public_id=name).first()
    if submission is None:
        raise Http404("no such submission of yours in this lab")
    return submission.code, Verdict.from_json(submission.verdict) if submission.verdict else None
