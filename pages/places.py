"""A lesson, a question or a lab, as far as what hangs on it needs to know: name, address, who may open it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.http import Http404
from django.urls import reverse

from accounts.access import Decision, Person, decide
from courses.models import Alias, Lesson, Question
from courses.opening import lesson_decision
from grader import catalog
from grader.catalog import Lab

KINDS = {"lesson": "Lesson", "question": "Question", "lab": "Lab"}
PATTERN = r"(?P<kind>lesson|question|lab)/(?P<slug>[-a-zA-Z0-9_]+)"
"""A page in an address, for `re_path`."""


@dataclass(frozen=True)
class Place:
    """One page. `source` is the lesson, the question or the lab itself."""

    kind: str
    slug: str
    title: str
    tier: str
    url: str
    source: Any

    @property
    def row(self) -> dict[str, Any]:
        """The columns of `pages.models.OnPage` that name this page."""
        return {"lab": self.slug} if self.kind == "lab" else {f"{self.kind}_id": self.source.pk}

    @property
    def kind_title(self) -> str:
        return KINDS[self.kind]

    def decision(self, person: Person, now: datetime) -> Decision:
        """Decide whether `person` may open all of the page at `now`."""
        if self.kind == "lesson":
            return lesson_decision(self.source, person, now)
        return decide(self.tier, 0, person, now)


def of(source: Lesson | Question | Lab) -> Place:
    """Return the page that a lesson, a question or a lab is."""
    if isinstance(source, Lab):
        url = reverse("labs:lab", args=[source.slug])
        return Place("lab", source.slug, source.title, source.tier, url, source)
    kind = "lesson" if isinstance(source, Lesson) else "question"
    return Place(kind, source.slug, source.title, source.tier, source.get_absolute_url(), source)


def find(kind: str, slug: str) -> Place:
    """Return the page of an address, also under an id that it had before. Raises Http404 where there is none."""
    if kind == "lab":
        try:
            return of(catalog.get(slug))
        except KeyError:
            raise Http404("no such lab") from None
    model: Any = {"lesson": Lesson, "question": Question}[kind]
    page = model.objects.shown().filter(slug=slug).first()
    if page is None and (alias := Alias.objects.filter(kind=kind, old=slug).first()):
        page = model.objects.shown().filter(slug=alias.slug).first()
    if page is None:
        raise Http404(f"no such {kind}")
    return of(page)


def of_row(row: Any) -> Place | None:
    """Return the page that a row of `pages.models.OnPage` hangs on; None where it is gone for now.

    Reads nothing where the row came with `select_related("lesson", "question")`.
    """
    page = row.lesson or row.question
    if page is not None:
        return None if page.retired else of(page)
    try:
        return of(catalog.get(row.lab))
    except KeyError:
        return None
