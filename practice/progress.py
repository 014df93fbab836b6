"""How far someone has come: by lesson, phase, track and lab, and days in a row.

It counts what was done and never takes it back: a lesson that was read, an item that was once all right, a question
that was answered and a lab that was passed stay done, whatever is reworded, retired or closed by a plan that ended.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from typing import Any

from django.conf import settings
from django.db.models import DateField, Exists, Max, OuterRef, Q, QuerySet, Value
from django.db.models.functions import Cast, TruncDate
from django.utils.module_loading import import_string

from courses import lab_links
from courses.models import Answer, Lesson, LessonRead, Question, QuizAttempt, QuizItem
from practice import days, numbers
from practice.days import Streak
from practice.models import NumberTry, Review


@dataclass(frozen=True)
class LabWork:
    """What someone did in the labs, as the project hands it over: titles of all labs, those passed, days of work."""

    titles: dict[str, str]
    passed: set[str]
    days: set[date]


@dataclass
class Tally:
    """So many of so many."""

    title: str
    url: str = ""
    done: int = 0
    total: int = 0

    def count(self, done: bool) -> None:
        self.done += done
        self.total += 1

    @property
    def share(self) -> int:
        """In whole per cent, 100 only when all is done."""
        return 100 * self.done // self.total if self.total else 0


@dataclass(frozen=True)
class LessonLine:
    lesson: Lesson
    read: bool
    quiz: Tally
    labs: Tally


@dataclass
class PhaseLines:
    title: str
    read: Tally
    lessons: list[LessonLine] = field(default_factory=list)


@dataclass(frozen=True)
class TrackLine:
    """A track: its lessons that were read, its questions that were answered."""

    title: str
    lessons: Tally
    questions: Tally

    @property
    def share(self) -> int:
        """Of both together, as of a tally."""
        both = self.lessons, self.questions
        return Tally(self.title, done=sum(t.done for t in both), total=sum(t.total for t in both)).share


@dataclass(frozen=True)
class Progress:
    """`numbers`, and the quizzes of the lessons, are counted by `of` only."""

    streak: Streak
    lessons: Tally
    questions: Tally
    labs: Tally
    phases: list[PhaseLines]
    tracks: list[Tally]
    lab_lines: list[tuple[str, str, bool]]
    numbers: Tally = field(default_factory=lambda: Tally("Numbers worked out"))

    @property
    def in_order(self) -> list[Lesson]:
        """The lessons that are there, in the course's order."""
        return [line.lesson for phase in self.phases for line in phase.lessons if not line.lesson.retired]

    @property
    def read(self) -> set[int]:
        return {line.lesson.pk for phase in self.phases for line in phase.lessons if line.read}


def of(user: Any, now: datetime) -> Progress:
    """Return the whole of a person's progress at `now`: seven queries."""
    done = set(NumberTry.objects.filter(user=user, right=True).values_list("number", flat=True).distinct())
    known = numbers.all_numbers()
    worked_out = Tally("Numbers worked out", done=sum(each.id in done for each in known), total=len(known))
    return replace(glance(user, now, _quizzes(user)), numbers=worked_out)


def glance(user: Any, now: datetime, quizzes: Mapping[int, Tally] | None = None) -> Progress:
    """Return a person's progress without numbers, and with `quizzes` by lesson where they are given: four queries."""
    labs = lab_work(user)
    lessons = list(
        Lesson.objects.annotate(read=Exists(LessonRead.objects.filter(user=user, lesson=OuterRef("pk"))))
        .filter(Q(retired=False) | Q(read=True))
        .select_related("phase", "track")
        .order_by("phase__number", "order")
    )
    tracks, questions = _tracks(user)
    return Progress(
        streak=days.streak(_active(user) | labs.days, days.today(user, now)),
        lessons=Tally("Lessons read", done=sum(lesson.read for lesson in lessons), total=len(lessons)),
        questions=questions,
        labs=Tally("Labs passed", done=len(labs.passed & labs.titles.keys()), total=len(labs.titles)),
        phases=_phases(lessons, quizzes or {}, labs),
        tracks=tracks,
        lab_lines=[
            (title, lab_links.LabLink(slug, title).url, slug in labs.passed) for slug, title in labs.titles.items()
        ],
    )


def by_track(user: Any) -> list[TrackLine]:
    """Return how far someone has come on each track, in the tracks' order: one query."""
    read = LessonRead.objects.filter(user=user, lesson=OuterRef("pk"))
    handed_in = Answer.objects.filter(user=user, submitted_at__isnull=False, question=OuterRef("pk"))
    lessons, questions = (
        pages.annotate(kind=Value(kind), done=Exists(done))
        .filter(Q(retired=False) | Q(done=True), track__isnull=False)
        .order_by()
        .values_list("kind", "track__position", "track__title", "done")
        for kind, pages, done in (
            ("lessons", Lesson.objects.all(), read),
            ("questions", Question.objects.all(), handed_in),
        )
    )
    lines: dict[tuple[int, str], TrackLine] = {}
    for kind, position, title, is_done in lessons.union(questions, all=True):
        line = lines.setdefault((position, title), TrackLine(title, Tally("Lessons"), Tally("Questions")))
        getattr(line, kind).count(is_done)
    return [line for _, line in sorted(lines.items(), key=lambda item: item[0])]


def lab_work(user: Any) -> LabWork:
    """Ask the project for what someone did in the labs; practice knows no labs itself."""
    work: Callable[[Any], LabWork] = import_string(settings.PRACTICE_LABS)
    return work(user)


def _quizzes(user: Any) -> dict[int, Tally]:
    """Return by lesson how many quiz items were once all right: two queries."""
    best = QuizAttempt.objects.filter(user=user).order_by().values("item").annotate(best=Max("score"))
    right = {row["item"] for row in best if row["best"] == 1.0}
    tallies: dict[int, Tally] = {}
    for pk, lesson, retired in QuizItem.objects.order_by().values_list("pk", "lesson_id", "retired"):
        if not retired or pk in right:
            tallies.setdefault(lesson, Tally("Quiz")).count(pk in right)
    return tallies


def _phases(lessons: Iterable[Any], quiz: Mapping[int, Tally], labs: LabWork) -> list[PhaseLines]:
    phases: dict[int, PhaseLines] = {}
    for lesson in lessons:
        phase = phases.setdefault(
            lesson.phase_id, PhaseLines(lesson.phase.title, Tally(lesson.phase.title, url="/course/"))
        )
        phase.read.count(lesson.read)
        own = [slug for slug in lesson.labs if slug in labs.titles]
        passed = Tally("Labs", done=sum(slug in labs.passed for slug in own), total=len(own))
        phase.lessons.append(LessonLine(lesson, lesson.read, quiz.get(lesson.pk, Tally("Quiz")), passed))
    return list(phases.values())


def _tracks(user: Any) -> tuple[list[Tally], Tally]:
    """Return the questions answered by track, and in all: one query."""
    handed_in = Answer.objects.filter(user=user, submitted_at__isnull=False, question=OuterRef("pk"))
    asked = Question.objects.annotate(answered=Exists(handed_in)).filter(Q(retired=False) | Q(answered=True))
    tracks: dict[int, Tally] = {}
    for question in asked.select_related("track").order_by("track__position", "pk").defer("calculator_html"):
        tally = tracks.setdefault(question.track_id, Tally(question.track.title, url="/questions/"))
        tally.count(question.answered)
    every = list(tracks.values())
    return every, Tally("Questions answered", done=sum(t.done for t in every), total=sum(t.total for t in every))


def _active(user: Any) -> set[date]:
    """Return the days, of this person's own, on which they read, answered or reviewed: one query."""
    zone = days.zone(user)

    def on(queryset: QuerySet[Any], moment: str) -> QuerySet[Any]:
        return queryset.filter(user=user).order_by().annotate(on=TruncDate(moment, tzinfo=zone)).values_list("on")

    reviewed = Review.objects.filter(user=user).order_by().annotate(on=Cast("day", DateField())).values_list("on")
    found = on(LessonRead.objects.all(), "at").union(
        on(Answer.objects.filter(submitted_at__isnull=False), "submitted_at"),
        on(QuizAttempt.objects.all(), "at"),
        on(NumberTry.objects.filter(answered_at__isnull=False), "answered_at"),
        reviewed,
    )
    return {day for (day,) in found}
