"""What the views share."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, HttpResponsePermanentRedirect
from django.shortcuts import redirect, resolve_url

from courses.models import Alias, Lesson, Page, Question


class Moved(Exception):
    """The page has another address now."""

    def __init__(self, page: Page) -> None:
        self.page = page


def find(model: type[Page], kind: str, slug: str, *related: str) -> Any:
    """Return a lesson or question. Raises Moved where the id is an old one, Http404 where there is none."""
    queryset = model.objects.shown().select_related(*related)
    page = queryset.filter(slug=slug).first()
    if page is not None:
        return page
    alias = Alias.objects.filter(kind=kind, old=slug).first()
    page = alias and queryset.filter(slug=alias.slug).first()
    if page:
        raise Moved(page)
    raise Http404(f"no such {kind}")


def lesson(slug: str) -> Lesson:
    return find(Lesson, "lesson", slug, "phase", "track")


def question(slug: str) -> Question:
    return find(Question, "question", slug, "track", "next")


def moved(to: Moved) -> HttpResponse:
    return HttpResponsePermanentRedirect(to.page.get_absolute_url())


def sign_in(request: HttpRequest, back: str) -> HttpResponse:
    """Send a visitor to the sign-in page and from there to `back`."""
    return redirect(f"{resolve_url(settings.LOGIN_URL)}?{urlencode({'next': back})}")


def is_htmx(request: HttpRequest) -> bool:
    return request.headers.get("HX-Request") == "true"
