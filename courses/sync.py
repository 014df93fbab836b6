"""Load the rendered curriculum into the database. Run it as often as you like; it never removes what people did."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from dataclasses import asdict
from typing import Any

from django.db import transaction

from courses.authoring.build import Built, Curriculum, Quiz
from courses.models import Alias, Course, Lesson, Phase, Question, QuizItem, Section, Track
from courses.signals import synced


@transaction.atomic
def sync(curriculum: Curriculum) -> Counter[str]:
    """Make the database say what `curriculum` says, and count what was added, changed, renamed and retired.

    A page is known by its id, or by one of its aliases: then it is renamed, and keeps its row and all that hangs on it.
    Pages and quiz items whose files are gone are retired. Nothing is written where nothing differs.
    """
    counts: Counter[str] = Counter()
    course = _course(curriculum)
    phases = {phase.number: phase for phase in course.phases.all()}
    tracks = {track.slug: track for track in Track.objects.all()}
    lessons = _find(Lesson, "lesson", curriculum.lessons, counts)
    questions = _find(Question, "question", curriculum.questions, counts)
    for built in curriculum.lessons:
        lesson = lessons[built.id]
        meta = built.meta
        fresh = _save(
            lesson,
            built,
            counts,
            phase=phases[meta["phase"]],
            order=meta["order"],
            track=tracks.get(meta.get("track", "")),
            preview_sections=meta.get("preview_sections", 2),
            learn=built.lists["learn"],
            interviewers=built.lists["interviewers"],
            terms=built.terms,
            labs=meta.get("labs", []),
            artifact=_artifact(meta.get("artifact")),
            reading=[dict(source) for source in meta.get("reading", [])],
        )
        _sections(fresh, built, "lesson")
        _quiz(fresh, built.quiz)
    for built in curriculum.questions:
        meta = built.meta
        fresh = _save(
            questions[built.id],
            built,
            counts,
            track=tracks[meta["track"]],
            free_short=meta.get("free_short", "free"),
            rubric=built.lists["rubric"],
            red_flags=built.lists["red_flags"],
            follow_ups=built.lists["follow_ups"],
            calculator_html=built.calculator,
        )
        _sections(fresh, built, "question")
    _relations(curriculum, lessons, questions)
    _retire(Lesson, curriculum.lessons, counts)
    _retire(Question, curriculum.questions, counts)
    Phase.objects.filter(course=course, lessons=None).exclude(
        number__in=[phase["number"] for phase in curriculum.course["phases"]]
    ).delete()
    Course.objects.filter(pk=course.pk).exclude(stamp=(stamp := _stamp(curriculum))).update(stamp=stamp)
    synced.send(sender=sync)
    return counts


def _stamp(curriculum: Curriculum) -> str:
    """Return a digest of everything that is written here: what processes have made of it is good while it stays."""
    pages = curriculum.lessons, curriculum.questions
    return hashlib.sha256(repr((curriculum.course, curriculum.home_figure, pages)).encode()).hexdigest()[:32]


def _course(curriculum: Curriculum) -> Course:
    meta = curriculum.course
    course, _ = Course.objects.update_or_create(
        slug=meta["id"],
        defaults={
            "title": meta["title"],
            "summary": meta["summary"],
            "home_figure": curriculum.home_figure,
            "home_calculator": meta.get("home", {}).get("calculator", ""),
        },
    )
    for phase in meta["phases"]:
        Phase.objects.update_or_create(
            course=course, number=phase["number"], defaults={"title": phase["title"], "summary": phase["summary"]}
        )
    for position, track in enumerate(meta["tracks"]):
        Track.objects.update_or_create(
            slug=track["id"], defaults={"title": track["title"], "summary": track["summary"], "position": position}
        )
    return course


def _find(model: type[Any], kind: str, pages: list[Built], counts: Counter[str]) -> dict[str, Any]:
    """Return the row of each page, by id: the one it has, the one it had under an older id, or a new one."""
    rows = {row.slug: row for row in model.objects.all()}
    found = {}
    for built in pages:
        row = rows.get(built.id)
        for old in built.aliases:
            if row is None and old in rows:
                row = rows[old]
                row.slug = built.id
                row.save(update_fields=["slug"])
                counts["renamed"] += 1
            Alias.objects.update_or_create(kind=kind, old=old, defaults={"slug": built.id})
        found[built.id] = row or model(slug=built.id)
    # an id that is in use again is nobody's old name
    Alias.objects.filter(kind=kind, old__in=found).delete()
    return found


def _save(row: Any, built: Built, counts: Counter[str], **fields: Any) -> Any:
    meta = built.meta
    fields |= {name: meta[name] for name in ("title", "level", "tier", "minutes")}
    fields |= {"summary": meta.get("summary", ""), "version": built.version, "retired": False}
    changed = [name for name, value in fields.items() if getattr(row, name) != value] if row.pk else list(fields)
    for name in changed:
        setattr(row, name, fields[name])
    if row.pk is None:
        row.save()
        counts["added"] += 1
    elif changed:
        row.save(update_fields=changed)
        counts["changed"] += 1
    return row


def _sections(row: Any, built: Built, kind: str) -> None:
    there = {section.slug: section for section in row.sections.all()}
    for position, section in enumerate(built.sections):
        old = there.pop(section.slug, None)
        wanted = (position, section.title, section.html, section.text)
        if old is None or (old.position, old.title, old.html, old.text) != wanted:
            Section.objects.update_or_create(
                **{kind: row}, slug=section.slug, defaults={"position": position, **asdict(section)}
            )
    if there:
        row.sections.filter(slug__in=there).delete()


def _quiz(lesson: Lesson, quiz: list[Quiz]) -> None:
    there = {item.key: item for item in lesson.quiz.all()}
    for position, item in enumerate(quiz):
        fields = asdict(item)
        version = hashlib.sha256(json.dumps(fields, sort_keys=True).encode()).hexdigest()[:12]
        old = there.pop(item.key, None)
        if old is None or (old.version, old.position, old.retired) != (version, position, False):
            del fields["key"]
            QuizItem.objects.update_or_create(
                lesson=lesson,
                key=item.key,
                defaults={**fields, "position": position, "version": version, "retired": False},
            )
    lesson.quiz.filter(key__in=there).update(retired=True)


def _relations(curriculum: Curriculum, lessons: dict[str, Lesson], questions: dict[str, Question]) -> None:
    for built in curriculum.lessons:
        lesson = lessons[built.id]
        lesson.prerequisites.set([lessons[each] for each in built.meta.get("prerequisites", [])])
        lesson.questions.set([questions[each] for each in built.meta.get("questions", [])])
    for built in curriculum.questions:
        question = questions[built.id]
        question.concepts.set([lessons[each] for each in built.meta["concepts"]])
        after = questions.get(built.meta.get("next", ""))
        if question.next_id != (after.pk if after else None):
            question.next = after
            question.save(update_fields=["next"])


def _retire(model: type[Any], pages: list[Built], counts: Counter[str]) -> None:
    gone = model.objects.shown().exclude(slug__in=[built.id for built in pages])
    counts["retired"] += gone.update(retired=True)


def _artifact(value: Any) -> dict[str, str] | None:
    """Accept a text, or a block with title and text."""
    if value is None or isinstance(value, dict):
        return dict(value) if value else None
    return {"title": "", "text": str(value)}
