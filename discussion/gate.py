"""Who may read and write which discussion. Every view asks here.

A discussion opens with all of its page: who sees only a preview of a lesson, or only the short answer of a question,
does not see what others say about the rest. Under a lab there is one thing more: threads and comments marked "about
solutions" are for those who have passed it. Of those, nothing is sent to others but how many there are.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import wraps
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone

from accounts.access import Person
from discussion.models import Comment, Thread
from labs import progress
from pages import places
from pages.places import Place


class Closed(Exception):
    """The page is not open to this person; it says itself what opens it."""

    def __init__(self, place: Place) -> None:
        self.place = place


@dataclass(frozen=True)
class Reader:
    """Someone to whom a page is open. `passed`: they see what is about solutions; always so where there is no lab."""

    pk: int | None
    staff: bool
    passed: bool
    now: datetime

    def sees_thread(self, thread: Thread, first: Comment) -> bool:
        """Tell whether a thread exists for them."""
        if self.staff or (self.pk is not None and first.author_id == self.pk):
            return True
        return first.hidden_at is None and (self.passed or not thread.spoiler)

    def sees_words(self, thread: Thread, comment: Comment) -> bool:
        """Tell whether a comment's words may be sent to them."""
        if comment.deleted_at is not None:
            return False
        if self.staff or (self.pk is not None and comment.author_id == self.pk):
            return True
        return comment.hidden_at is None and (self.passed or not (thread.spoiler or comment.spoiler))


def reader(user: Any, place: Place, now: datetime) -> Reader:
    """Return what `user` is to the discussion of a page that is open to them: a query where it is a lab's."""
    staff = user.is_authenticated and user.is_active and user.is_staff
    passed = staff or place.kind != "lab" or place.slug in progress.passed_slugs(user)
    return Reader(user.pk, staff, passed, now)


def enter(request: HttpRequest, place: Place) -> Reader:
    """Return the reader, or raise Closed."""
    now = timezone.now()
    if not place.decision(Person.of(request.user), now).is_open:
        raise Closed(place)
    return reader(request.user, place, now)


def enter_thread(request: HttpRequest, pk: int) -> tuple[Thread, Place, Reader]:
    """Return a thread with its page and its reader. Raises Closed, and Http404 where it is not there for them."""
    thread = Thread.objects.select_related("lesson", "question").filter(pk=pk).first()
    place = places.of_row(thread) if thread else None
    if thread is None or place is None:
        raise Http404("no such thread")
    return thread, place, enter(request, place)


def enter_comment(request: HttpRequest, pk: int) -> tuple[Comment, Place, Reader]:
    """Return a comment whose words this person may read. Raises Closed, Http404."""
    related = ("author", "thread__lesson", "thread__question")
    comment = Comment.objects.select_related(*related).filter(pk=pk).first()
    place = places.of_row(comment.thread) if comment else None
    if comment is None or place is None:
        raise Http404("no such comment")
    who = enter(request, place)
    first = comment if comment.is_first else comment.thread.comments.get(parent=None)
    if not who.sees_thread(comment.thread, first) or not who.sees_words(comment.thread, comment):
        raise Http404("no such comment")
    return comment, place, who


def or_to_the_page(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Send those to whom the page is closed there: it offers what opens it."""

    @wraps(view)
    def wrapped(request: HttpRequest, *args: Any, **named: Any) -> HttpResponse:
        try:
            return view(request, *args, **named)
        except Closed as closed:
            return redirect(closed.place.url)

    return wrapped
