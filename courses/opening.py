"""What of a page may leave the server: every way to lessons and questions asks here."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import BooleanField, Case, F, Q, TextField, Value, When

from accounts.access import Decision, Person, decide
from courses.models import Lesson, Question

SHORT = "short-answer"
ALL = Q(pk__isnull=False)


@dataclass(frozen=True)
class Heading:
    """The title of a section; `open` tells whether its text may be shown."""

    slug: str
    title: str
    open: bool


@dataclass(frozen=True)
class Shown:
    """A section whose HTML may be shown."""

    slug: str
    title: str
    html: str


@dataclass(frozen=True)
class OpenedLesson:
    """A lesson as far as a person may see it. The text of the other sections was not even read from the database."""

    decision: Decision
    sections: list[Shown]
    headings: list[Heading]

    @property
    def whole(self) -> bool:
        return self.decision.is_open

    @property
    def locked(self) -> list[Heading]:
        return [heading for heading in self.headings if not heading.open]


@dataclass(frozen=True)
class OpenedQuestion:
    """A question as far as a person may see it: the short answer and the rest are decided apart."""

    short_decision: Decision
    decision: Decision
    short: Shown | None
    sections: list[Shown]
    headings: list[Heading]

    @property
    def whole(self) -> bool:
        return self.decision.is_open

    @property
    def may_answer(self) -> bool:
        return self.short_decision.is_open

    @property
    def locked(self) -> list[Heading]:
        return [heading for heading in self.headings if not heading.open]


def lesson_decision(lesson: Lesson, person: Person, now: datetime) -> Decision:
    """Decide on a lesson alone, for lists and actions."""
    return decide(lesson.tier, lesson.preview_sections, person, now)


def open_lesson(lesson: Lesson, person: Person, now: datetime) -> OpenedLesson:
    """Read what `person` may see of `lesson` at `now`: one query."""
    return read_lesson(lesson, lesson_decision(lesson, person, now))


def read_lesson(lesson: Lesson, decision: Decision) -> OpenedLesson:
    """Read what `decision`, made on this lesson, opens of it: one query."""
    allowed = ALL if decision.sections is None else Q(position__lt=decision.sections)
    headings, shown = _read(lesson.sections, allowed)
    return OpenedLesson(decision, shown, headings)


def open_question(question: Question, person: Person, now: datetime) -> OpenedQuestion:
    """Read what `person` may see of `question` at `now`: one query."""
    short_decision = decide(question.free_short, 0, person, now)
    decision = decide(question.tier, 0, person, now)
    # the short answer where its own tier is open, the others where the question's is
    allowed = (ALL if short_decision.is_open else ~ALL) & Q(slug=SHORT)
    allowed |= (ALL if decision.is_open else ~ALL) & ~Q(slug=SHORT)
    headings, shown = _read(question.sections, allowed)
    short = next((section for section in shown if section.slug == SHORT), None)
    return OpenedQuestion(
        short_decision, decision, short, [section for section in shown if section.slug != SHORT], headings
    )


def _read(sections: Any, allowed: Q) -> tuple[list[Heading], list[Shown]]:
    """Return the headings in order, and the sections that are allowed; the HTML of no other leaves the database."""
    found = sections.annotate(
        allowed=Case(When(allowed, then=Value(True)), default=Value(False), output_field=BooleanField()),
        shown=Case(When(allowed, then=F("html")), default=Value(""), output_field=TextField()),
    )
    rows = list(found.values_list("slug", "title", "allowed", "shown"))
    headings = [Heading(slug, title, is_open) for slug, title, is_open, _ in rows]
    return headings, [Shown(slug, title, html) for slug, title, is_open, html in rows if is_open]
