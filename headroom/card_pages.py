"""Where the cards of pages are: their addresses, and the view behind them."""

from __future__ import annotations

import re
from hashlib import sha256

from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from courses import calculators
from headroom import cards
from pages import places

HOME = ("AI infrastructure", "Every claim about memory, time and FLOPs, run")
WEEK_S = 7 * 24 * 3600
_PAGE = re.compile(r"/(lesson|question|lab|calculator)s/([-\w]+)/", re.ASCII)
KINDS = {
    "lesson": "Lesson",
    "question": "Interview question",
    "lab": "Lab, run and measured",
    "calculator": "Calculator",
}


def address(path: str, title: str) -> str:
    """Return the address of the card of the page at `path`; it is another one when the title has changed."""
    version = sha256(f"{cards.VERSION} {title}".encode()).hexdigest()[:8]
    page = _PAGE.fullmatch(path)
    bare = reverse("card", args=page.groups()) if page else reverse("card-home")
    return f"{bare}?v={version}"


@require_safe
@cache_control(public=True, max_age=WEEK_S)
def card(request: HttpRequest, kind: str = "", slug: str = "") -> HttpResponse:
    """Answer with a page's card, the site's own where none is named. It says what is open to everyone."""
    return HttpResponse(cards.png(*(_words(kind, slug) if kind else HOME)), content_type="image/png")


def _words(kind: str, slug: str) -> tuple[str, str]:
    """Return kind and title of a page. Raises Http404 where there is none."""
    if kind != "calculator":
        return KINDS[kind], places.find(kind, slug).title
    for calculator in calculators.all_calculators():
        if calculator.id == slug:
            return KINDS[kind], calculator.title
    raise Http404("no such calculator")
