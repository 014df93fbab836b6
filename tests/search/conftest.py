"""A few pages whose every text says who may read it, the index over them, and five kinds of people."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone

from accounts.access import Person
from courses.models import Course, Lesson, Phase, Question, Section, Track
from search.indexing import rebuild

NOW = timezone.now()
PEOPLE = {
    "visitor": Person(),
    "free": Person(signed_in=True),
    "lapsed": Person(signed_in=True, premium_until=NOW - timedelta(days=1)),
    "premium": Person(signed_in=True, premium_until=NOW + timedelta(days=30)),
    "staff": Person(signed_in=True, staff=True),
}


def lesson(phase: Phase, tier: str, order: int, **fields: object) -> Lesson:
    """A lesson with an open preview, a locked section, and a term that only the locked section explains."""
    made = Lesson.objects.create(
        slug=f"{tier}-lesson", title=f"Checkpointing for {tier}", summary=f"Summary {tier}summary.", level="core",
        tier=tier, minutes=5, version="1", phase=phase, order=order, preview_sections=1,
        terms=[{"name": f"{tier}term", "anchor": f"term-{tier}", "section": "key-terms"}], **fields,
    )  # fmt: skip
    texts = {
        "the-problem": f"Anyone reads {tier}preview here, and about memory.",
        "the-concept": f"Segments trade work for memory: {tier}locked is said here, and allocator.",
        "key-terms": f"{tier}term A piece that {tier}definition explains. other Another.",
    }
    for position, (slug, text) in enumerate(texts.items()):
        title = slug.replace("-", " ").capitalize()
        Section.objects.create(lesson=made, position=position, slug=slug, title=title, html="", text=text)
    return made


@pytest.fixture
def index(db: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lessons, questions and labs of every tier, found by their own words."""
    monkeypatch.setenv("HEADROOM_CATALOG", str(tmp_path))
    course = Course.objects.create(slug="c", title="C", summary="")
    phase = Phase.objects.create(course=course, number=0, title="P", summary="")
    track = Track.objects.create(slug="t", title="T", summary="")
    for order, tier in enumerate(("open", "free", "premium")):
        lesson(phase, tier, order)
        question = Question.objects.create(
            slug=f"{tier}-question", title=f"When does {tier} pay?", summary="", level="core", tier=tier, minutes=5,
            version="1", track=track, free_short="free" if tier == "premium" else "open",
        )  # fmt: skip
        for position, slug in enumerate(("short-answer", "worked-answer")):
            text = f"Said in {tier}short briefly." if position == 0 else f"Worked out: {tier}worked at length."
            Section.objects.create(question=question, position=position, slug=slug, title=slug, html="", text=text)
        write_lab(tmp_path, tier, order)
    rebuild()


def write_lab(root: Path, tier: str, order: int) -> None:
    folder = root / f"{tier}-lab"
    folder.mkdir()
    (folder / "lab.yaml").write_text(
        f"title: Build {tier} segments\nsummary: In short {tier}labsummary.\ntier: {tier}\norder: {order}\n"
        "entry_points: [work]\ndevices: [cpu]\ntime_limit_s: 5\n"
    )
    (folder / "statement.md").write_text(f"# Lab\n\nWrite {tier}statement as `code`.\n")
    for name in ("starter.py", "harness.py", "judge.py"):
        (folder / name).write_text(f"# {tier}judge\n")
