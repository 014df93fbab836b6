"""Everything that can be found, read from where it lives: pages in the database, labs and calculators in files."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from django.db.models import Prefetch
from django.urls import reverse

from accounts.access import Tier
from courses import calculators
from courses.authoring.render import to_text
from courses.models import Lesson, Question, Section
from courses.opening import SHORT
from grader import catalog
from labs import statement


@dataclass(frozen=True)
class Document:
    """One entry to be. `opens` is the tier of exactly this text: what it holds is shown to whoever that opens for."""

    page: str
    part: str
    kind: str
    opens: str
    tier: str
    url: str
    title: str
    heading: str = ""
    text: str = ""

    @property
    def key(self) -> str:
        return f"{self.page}#{self.part}"


def documents() -> Iterator[Document]:
    """Yield all there is. Of what is locked, title and summary are open, which its page shows to anyone."""
    sections = Prefetch("sections", Section.objects.only("lesson", "question", "position", "slug", "title", "text"))
    for lesson in Lesson.objects.shown().prefetch_related(sections):
        yield from _lesson(lesson)
    for question in Question.objects.shown().prefetch_related(sections):
        yield from _question(question)
    for lab in catalog.all_labs():
        page, url = f"lab:{lab.slug}", reverse("labs:lab", args=[lab.slug])
        yield Document(page, "", "lab", Tier.OPEN, lab.tier, url, lab.title, text=lab.summary)
        # in a formula's text an underscore keeps its backslash
        said = to_text(statement.to_html(lab.statement)).replace("\\_", "_")
        yield Document(page, "statement", "lab", lab.tier, lab.tier, url, lab.title, "Statement", said)
    for each in calculators.all_calculators():
        url = reverse("courses:calculator", args=[each.id])
        said = f"{each.summary} {'. '.join(field.label for field in each.fields)}"
        yield Document(f"calculator:{each.id}", "", "calculator", Tier.OPEN, Tier.OPEN, url, each.title, text=said)


def _lesson(lesson: Lesson) -> Iterator[Document]:
    page, url = f"lesson:{lesson.slug}", lesson.get_absolute_url()
    yield Document(page, "", "lesson", Tier.OPEN, lesson.tier, url, lesson.title, text=lesson.summary)
    opens: dict[str, str] = {}
    texts: dict[str, str] = {}
    for section in lesson.sections.all():
        opens[section.slug] = Tier.OPEN if section.position < lesson.preview_sections else lesson.tier
        texts[section.slug] = section.text
        yield Document(
            page,
            section.slug,
            "lesson",
            opens[section.slug],
            lesson.tier,
            f"{url}#{section.slug}",
            lesson.title,
            section.title,
            section.text,
        )
    for term in lesson.terms:
        section_slug = term["section"]
        yield Document(
            f"term:{lesson.slug}:{term['anchor']}",
            "",
            "term",
            opens.get(section_slug, lesson.tier),
            lesson.tier,
            f"{url}#{term['anchor']}",
            term["name"],
            lesson.title,
            _definition(texts.get(section_slug, ""), term["name"], [each["name"] for each in lesson.terms]),
        )


def _definition(text: str, name: str, names: list[str]) -> str:
    """Return what stands between a term and the next one in the words of their section."""
    start = text.find(f"{name} ")
    if start < 0:
        return ""
    start += len(name)
    following = (text.find(f" {other} ", start) for other in names if other != name)
    return text[start : min((place for place in following if place >= 0), default=len(text))].strip()


def _question(question: Question) -> Iterator[Document]:
    page, url = f"question:{question.slug}", question.get_absolute_url()
    yield Document(page, "", "question", Tier.OPEN, question.tier, url, question.title, text=question.summary)
    for section in question.sections.all():
        opens = question.free_short if section.slug == SHORT else question.tier
        yield Document(
            page,
            section.slug,
            "question",
            opens,
            question.tier,
            f"{url}#{section.slug}",
            question.title,
            section.title,
            section.text,
        )
