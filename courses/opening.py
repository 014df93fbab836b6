"""What of a page may leave the server: every way to lessons and questions asks here."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from accounts.access import Decision, Person, decide
from courses.models import Lesson, Question, Section

SHORT = "short-answer"


@dataclass(frozen=True)
class Heading:
    """The title of a section; `open` tells whether its text may be shown."""

    slug: str
    title: str
    open: bool


@dataclass(frozen=True)
class OpenedLesson:
    """A lesson as far as a person may see it. The text of the other sections was not even read from the database."""

    decision: Decision
    sections: list[Section]
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
    short: Section | None
    sections: list[Section]
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
    """Read what `person` may see of `lesson` at `now`: two queries."""
    decision = lesson_decision(lesson, person, now)
    titles = list(lesson.sections.values_list("slug", "title"))
    count = len(titles) if decision.sections is None else min(decision.sections, len(titles))
    headings = [Heading(slug, title, number < count) for number, (slug, title) in enumerate(titles)]
    # the text, kept for search, and the lesson are not needed to show a page
    sections = list(lesson.sections.defer("text")[:count]) if count else []
    return OpenedLesson(decision, sections, headings)


def open_question(question: Question, person: Person, now: datetime) -> OpenedQuestion:
    """Read what `person` may see of `question` at `now`: two queries."""
    short_decision = decide(question.free_short, 0, person, now)
    decision = decide(question.tier, 0, person, now)
    headings = [
        Heading(slug, title, short_decision.is_open if slug == SHORT else decision.is_open)
        for slug, title in question.sections.values_list("slug", "title")
    ]
    opened = [heading.slug for heading in headings if heading.open]
    sections = list(question.sections.defer("text").filter(slug__in=opened)) if opened else []
    short = next((section for section in sections if section.slug == SHORT), None)
    return OpenedQuestion(
        short_decision, decision, short, [section for section in sections if section.slug != SHORT], headings
    )
