"""Reading and writing discussions. Every page works without script; htmx only brings the reply form to its comment."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render, resolve_url
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods

from accounts.typed import whole_number
from discussion import gate, reading, writing
from discussion.gate import Reader, or_to_the_page
from discussion.limits import Refused
from discussion.models import Comment, Thread
from pages import places
from pages.places import Place

A_PAGE = 30
LAST_PAGE = 9_999
form = require_http_methods(["GET", "HEAD", "POST"])


def typed(request: HttpRequest, name: str, most: int = writing.LONGEST * 2) -> str:
    return request.POST.get(name, "")[:most]


def sign_in(request: HttpRequest, back: str, keep: str = "") -> HttpResponse:
    """Send someone who is signed out to sign in, and keep under `keep` what they typed until they are back."""
    if keep and typed(request, "text").strip():
        request.session[keep] = {name: typed(request, name) for name in ("title", "text")}
    return redirect(f"{resolve_url(settings.LOGIN_URL)}?{urlencode({'next': back})}")


def about_solutions(request: HttpRequest, place: Place, reader: Reader, otherwise: bool = False) -> bool:
    """Tell whether what is sent is about how a lab is solved; only who has passed it can say so."""
    if place.kind != "lab" or not reader.passed:
        return otherwise
    return request.POST.get("spoiler") == "yes"


@form
@never_cache
@or_to_the_page
def page(request: HttpRequest, kind: str, slug: str) -> HttpResponse:
    """List the threads of a page, and start one."""
    place = places.find(kind, slug)
    here, keep = reverse("discussion:page", args=[place.kind, place.slug]), f"thread-{place.kind}-{place.slug}"
    if request.method == "POST" and not request.user.is_authenticated:
        return sign_in(request, f"{here}#start", keep)
    reader = gate.enter(request, place)
    kept = request.session.get(keep, {}) if request.user.is_authenticated else {}
    context: dict[str, Any] = {"title": kept.get("title", ""), "text": kept.get("text", ""), "restored": bool(kept)}
    if request.method == "POST":
        title, text = typed(request, "title", 500), typed(request, "text")
        spoiler = about_solutions(request, place, reader)
        try:
            thread = writing.start(request.user, place, title, text, spoiler, reader.now)
        except Refused as refused:
            context = {"title": title, "text": text, "problem": str(refused), "spoiler": spoiler}
        else:
            request.session.pop(keep, None)
            return redirect(thread)
    at = whole_number(request.GET.get("page", ""))
    at = at if 0 < at <= LAST_PAGE else 1
    listed = reading.threads(place, reader, A_PAGE, A_PAGE * (at - 1))
    context |= {"place": place, "reader": reader, "listed": listed, "at": at, "limits": writing}
    return render(request, "discussion/page.html", context, status=422 if "problem" in context else 200)


@require_GET
@never_cache
@or_to_the_page
def thread(request: HttpRequest, pk: int) -> HttpResponse:
    """Show a thread."""
    found, place, reader = gate.enter_thread(request, pk)
    shown = reading.comments(found, reader)
    if shown is None:
        raise Http404("no such thread")
    return render(
        request, "discussion/thread.html", {"thread": found, "place": place, "reader": reader, "comments": shown}
    )


@form
@never_cache
@or_to_the_page
def reply(request: HttpRequest, pk: int) -> HttpResponse:
    """Answer a comment: the form, as a page or as a part of the thread, and what it sends."""
    here, keep = reverse("discussion:reply", args=[pk]), f"reply-{pk}"
    if not request.user.is_authenticated:
        return sign_in(request, here, keep)
    comment, place, reader = gate.enter_comment(request, pk)
    kept = request.session.get(keep, {})
    context: dict[str, Any] = {"text": kept.get("text", ""), "restored": bool(kept)}
    if request.method == "POST":
        text, spoiler = typed(request, "text"), about_solutions(request, place, reader)
        try:
            made = writing.reply(request.user, comment, text, spoiler, reader.now)
        except Refused as refused:
            context = {"text": text, "problem": str(refused), "spoiler": spoiler}
        else:
            request.session.pop(keep, None)
            return redirect(made)
    context |= {
        "comment": comment,
        "place": place,
        "reader": reader,
        "shown": reading.one(comment.thread, comment, 0, reader),
    }
    context["limits"] = writing
    alone = request.headers.get("HX-Request") != "true"
    template = "discussion/reply.html" if alone else "discussion/reply_form.html"
    return render(request, template, context, status=422 if "problem" in context else 200)


def own(request: HttpRequest, pk: int) -> tuple[Comment, Place, Reader]:
    """Return one's own comment. Raises Closed, Http404."""
    comment, place, reader = gate.enter_comment(request, pk)
    if comment.author_id != request.user.pk:
        raise Http404("not theirs")
    return comment, place, reader


@form
@never_cache
@or_to_the_page
def edit(request: HttpRequest, pk: int) -> HttpResponse:
    """Change one's own comment."""
    if not request.user.is_authenticated:
        return sign_in(request, reverse("discussion:edit", args=[pk]))
    comment, place, reader = own(request, pk)
    now_spoiler = comment.thread.spoiler if comment.is_first else comment.spoiler
    context: dict[str, Any] = {"text": comment.text, "revision": comment.revision, "spoiler": now_spoiler}
    if request.method == "POST":
        text, number = typed(request, "text"), whole_number(request.POST.get("revision", ""))
        spoiler = about_solutions(request, place, reader, now_spoiler)
        try:
            return redirect(writing.edit(request.user, comment, text, spoiler, number, reader.now))
        except Refused as refused:
            context = {"text": text, "revision": number, "problem": str(refused), "spoiler": spoiler}
    context |= {"comment": comment, "place": place, "reader": reader, "limits": writing}
    return render(request, "discussion/edit.html", context, status=422 if "problem" in context else 200)


@form
@never_cache
@or_to_the_page
def delete(request: HttpRequest, pk: int) -> HttpResponse:
    """Delete one's own comment, after asking."""
    if not request.user.is_authenticated:
        return sign_in(request, reverse("discussion:delete", args=[pk]))
    comment, place, reader = own(request, pk)
    if request.method == "POST":
        thread_pk = comment.thread_id
        writing.delete(comment, timezone.now())
        messages.success(request, "Your comment is deleted.")
        if Thread.objects.filter(pk=thread_pk).exists():
            return redirect("discussion:thread", pk=thread_pk)
        return redirect("discussion:page", kind=place.kind, slug=place.slug)
    context = {"comment": comment, "place": place, "shown": reading.one(comment.thread, comment, 0, reader)}
    return render(request, "discussion/delete.html", context | {"answered": comment.replies.exists()})
