"""Reporting a comment, and choosing what one is told of."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt

from discussion import gate, limits, reading, telling
from discussion.limits import Refused
from discussion.models import Comment, Preference, Report
from discussion.views import form, sign_in, typed


@form
@never_cache
@gate.or_to_the_page
def report(request: HttpRequest, pk: int) -> HttpResponse:
    """Tell staff what is wrong with a comment; a second time changes what was said the first time."""
    if not request.user.is_authenticated:
        return sign_in(request, reverse("discussion:report", args=[pk]))
    comment, place, reader = gate.enter_comment(request, pk)
    if comment.author_id == request.user.pk:
        raise Http404("one's own comment is edited or deleted, not reported")
    context: dict[str, Any] = {"why": "", "words": ""}
    if request.method == "POST":
        why, words = request.POST.get("why", ""), typed(request, "words", 500).replace("\x00", "")
        context = {"why": why, "words": words}
        try:
            _file(request.user, comment, why, words, reader)
        except Refused as refused:
            context["problem"] = str(refused)
        else:
            messages.success(request, "Thank you. A moderator will look at it.")
            return redirect(comment)
    context |= {"comment": comment, "place": place, "reasons": Report.Why.choices}
    context["shown"] = reading.one(comment.thread, comment, 0, reader)
    return render(request, "discussion/report.html", context, status=422 if "problem" in context else 200)


@transaction.atomic
def _file(user: Any, comment: Comment, why: str, words: str, reader: gate.Reader) -> None:
    if why not in Report.Why.values:
        raise Refused("Choose what is wrong with it.")
    limits.record(user, "report", reader.now)
    made, new = Report.objects.get_or_create(comment=comment, reporter=user, defaults={"why": why, "words": words})
    if not new and made.state == Report.State.OPEN:
        Report.objects.filter(pk=made.pk).update(why=why, words=words)


@form
@login_required
@never_cache
def preferences(request: HttpRequest) -> HttpResponse:
    """Choose how one is told of replies."""
    if request.method == "POST":
        chosen = request.POST.get("replies", "")
        if chosen in Preference.Replies.values:
            Preference.choose(request.user, chosen)
            messages.success(request, "Saved.")
        return redirect("discussion:preferences")
    context = {"chosen": Preference.replies_to(request.user), "choices": Preference.Replies.choices}
    return render(request, "discussion/preferences.html", context)


@csrf_exempt  # a mail program posts here by itself; the token says who, and does nothing but stop the mails
@form
@never_cache
def stop(request: HttpRequest, token: str) -> HttpResponse:
    """Stop the mails, from a link in one of them: signed in or not."""
    user = telling.of_token(token)
    if user is None:
        raise Http404("no such link")
    if request.method == "POST":
        Preference.choose(user, Preference.Replies.NONE)
    return render(request, "discussion/stop.html", {"done": request.method == "POST"})
