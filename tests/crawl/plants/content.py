"""Lessons and questions of every tier, quizzes, rubrics, and people's answers."""

from __future__ import annotations

from django.utils import timezone

from courses.models import Alias, Answer, Course, Lesson, Phase, Question, QuizItem, Section, Track
from tests.crawl.book import FREE, LAPSED, MAY_OPEN, PEOPLE, Book

LESSON_SECTIONS = ("the-problem", "the-concept", "build-it", "use-it", "ship-it", "exercises", "key-terms")
QUESTION_SECTIONS = ("worked-answer", "numbers", "editors-note")
PREVIEW = 2


def plant(book: Book) -> None:
    course = Course.objects.create(slug="crawled", title="A crawled course", summary="For the crawler.")
    phase = Phase.objects.create(course=course, number=0, title="Phase nought", summary="The only one.")
    track = Track.objects.create(slug="crawled-track", title="A crawled track", summary="For the crawler.")
    questions = [_question(book, track, tier, short) for tier, short in _PAIRS]
    lessons = [_lesson(book, phase, track, tier, order) for order, tier in enumerate(("open", "free", "premium"))]
    for lesson in lessons:
        lesson.questions.set(questions)
        lesson.prerequisites.set(lessons[:1])
    for question, after in zip(questions, questions[1:] + questions[:1], strict=True):
        question.next = after
        question.save()
        question.concepts.set(lessons)
    _retired(book, phase, track)
    Alias.objects.create(kind="lesson", old="premium-lesson-once", slug="premium-lesson")
    _answers(book, questions)


_PAIRS = (("open", "open"), ("free", "free"), ("premium", "open"), ("premium", "free"), ("premium", "premium"))


def _lesson(book: Book, phase: Phase, track: Track, tier: str, order: int) -> Lesson:
    readers = MAY_OPEN[tier]
    lesson = Lesson.objects.create(
        slug=f"{tier}-lesson",
        title=f"Lesson for {tier}",
        summary="What it is about.",
        level="core",
        tier=tier,
        minutes=10,
        version="1",
        phase=phase,
        track=track,
        order=order,
        preview_sections=PREVIEW,
        terms=[{"name": book.plant(f"{tier} lesson, term", readers), "anchor": "term-1", "section": "key-terms"}],
        labs=["open-lab", "free-lab", "premium-lab"],
        artifact={"title": "", "text": book.plant(f"{tier} lesson, what to keep", readers)},
        reading=[{"title": book.plant(f"{tier} lesson, reading", readers), "url": "https://example.org/"}],
    )
    for position, slug in enumerate(LESSON_SECTIONS):
        sentence = book.plant(f"{tier} lesson, {slug}", PEOPLE if position < PREVIEW else readers)
        Section.objects.create(
            lesson=lesson, position=position, slug=slug, title=slug, html=f"<p>{sentence}</p>", text=sentence
        )
    for position, kind in enumerate(("single", "multiple", "ordering", "numeric")):
        _quiz_item(book, lesson, kind, position)
    return lesson


def _quiz_item(book: Book, lesson: Lesson, kind: str, position: int) -> None:
    name, readers = f"{lesson.tier} lesson, {kind} quiz item", MAY_OPEN[lesson.tier]
    options = [
        {
            "html": book.plant(f"{name}, option {number}", readers),
            "right": number == 0,
            "why": book.plant(f"{name}, why {number}", readers, after_answering=True),
        }
        for number in range(0 if kind == "numeric" else 3)
    ]
    QuizItem.objects.create(
        lesson=lesson,
        key=f"item-{kind}",
        position=position,
        kind=kind,
        prompt=book.plant(f"{name}, prompt", readers),
        options=options,
        explanation=book.plant(f"{name}, explanation", readers, after_answering=True),
        answer=2.0 if kind == "numeric" else None,
        version="1",
    )


def _question(book: Book, track: Track, tier: str, short: str) -> Question:
    name, readers = f"{tier} question with a short answer for {short}", MAY_OPEN[tier]
    question = Question.objects.create(
        slug=f"{tier}-question-{short}",
        title=f"Question for {tier}",
        summary="What they ask.",
        level="core",
        tier=tier,
        minutes=10,
        version="1",
        track=track,
        free_short=short,
        rubric=[{"html": book.plant(f"{name}, rubric", readers), "weight": 1}],
        red_flags=[book.plant(f"{name}, red flag", readers)],
        follow_ups=[book.plant(f"{name}, follow-up", readers)],
        calculator_html=f"<p>{book.plant(f'{name}, calculator', readers)}</p>",
    )
    for position, slug in enumerate(("short-answer", *QUESTION_SECTIONS)):
        sentence = book.plant(f"{name}, {slug}", MAY_OPEN[short] if slug == "short-answer" else readers)
        Section.objects.create(
            question=question, position=position, slug=slug, title=slug, html=f"<p>{sentence}</p>", text=sentence
        )
    return question


def _retired(book: Book, phase: Phase, track: Track) -> None:
    """Pages whose files are gone are nobody's, whatever their tier was."""
    common = {"summary": "", "level": "core", "tier": "open", "minutes": 10, "version": "1", "retired": True}
    lesson = Lesson.objects.create(slug="gone-lesson", title="Gone", phase=phase, order=9, track=track, **common)
    question = Question.objects.create(slug="gone-question", title="Gone too", track=track, **common)
    for page in ({"lesson": lesson}, {"question": question}):
        sentence = book.plant(f"retired {next(iter(page))}")
        Section.objects.create(
            **page, position=0, slug="short-answer", title="Short answer", html=f"<p>{sentence}</p>", text=sentence
        )


def _answers(book: Book, questions: list[Question]) -> None:
    """What someone wrote is theirs, also when the plan that opened the question has ended."""
    last = questions[-1]
    for owner in (FREE, LAPSED):
        Answer.objects.create(
            user=book.people[owner],
            question=last,
            text=book.plant(f"answer of the {owner} member", [owner]),
            question_version="1",
            submitted_at=timezone.now(),
        )
    for question, submitted in ((questions[0], timezone.now()), (questions[1], None)):
        Answer.objects.create(
            user=book.stranger,
            question=question,
            text=book.plant(f"a stranger's {'answer' if submitted else 'draft'}"),
            question_version="1",
            submitted_at=submitted,
        )
