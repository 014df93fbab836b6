"""Syncing is idempotent, and keeps what people did."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from accounts.models import User
from courses import drawing, progress
from courses.authoring.build import build_or_raise
from courses.models import Answer, Lesson, LessonRead, Question, QuizAttempt, QuizItem, Section
from courses.sync import sync


def load(folder: Path) -> dict[str, int]:
    return dict(sync(build_or_raise(folder, drawing.embedded)))


def edit(folder: Path, file: str, old: str, new: str) -> None:
    path = folder / file
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new), "utf-8")


def everything() -> list[object]:
    return [
        list(model.objects.order_by("pk").values())
        for model in (Lesson, Question, Section, QuizItem, Lesson.prerequisites.through, Question.concepts.through)
    ]


def test_a_second_sync_changes_nothing(db: None, folder: Path) -> None:
    assert load(folder)["added"] == 4
    before = everything()
    assert {what: count for what, count in load(folder).items() if count} == {}
    assert everything() == before


def test_a_changed_page_is_changed_and_its_neighbours_are_not(db: None, folder: Path) -> None:
    load(folder)
    other = Lesson.objects.filter(slug="saved-tensors").values().get()
    edit(folder, "lessons/1-01-checkpointing.md", "PREVIEW-ONE", "REWRITTEN")
    assert load(folder)["changed"] == 1
    assert Section.objects.filter(lesson__slug="checkpointing", html__contains="REWRITTEN").exists()
    assert Lesson.objects.filter(slug="saved-tensors").values().get() == other


def test_a_renamed_page_keeps_its_readers_and_redirects(member: User, folder: Path) -> None:
    load(folder)
    lesson = Lesson.objects.get(slug="saved-tensors")
    progress.record_read(member, lesson)
    path = folder / "lessons/0-01-saved.md"
    edit(folder, "lessons/0-01-saved.md", "id: saved-tensors", "id: what-is-saved\naliases: [saved-tensors]")
    edit(folder, "lessons/1-01-checkpointing.md", "saved-tensors", "what-is-saved")
    path.rename(folder / "lessons/1-09-moved.md")
    assert load(folder)["renamed"] == 1
    lesson.refresh_from_db()
    assert lesson.slug == "what-is-saved" and not lesson.retired
    assert LessonRead.objects.get(user=member).lesson == lesson
    response = Client().get("/lessons/saved-tensors/")
    assert (response.status_code, response["Location"]) == (301, "/lessons/what-is-saved/")
    assert {what: count for what, count in load(folder).items() if count} == {}


def test_a_page_whose_file_goes_is_retired_with_the_work_on_it(member: User, folder: Path) -> None:
    load(folder)
    question = Question.objects.get()
    answer = Answer.objects.create(user=member, question=question, text="mine", question_version="1")
    (folder / "questions/when-it-pays.md").unlink()
    edit(folder, "lessons/1-01-checkpointing.md", "questions: [when-it-pays]\n", "")
    assert load(folder)["retired"] == 1
    answer.refresh_from_db()
    assert answer.question.retired
    assert Client().get("/questions/when-it-pays/").status_code == 404


def test_a_retired_page_comes_back_with_its_file(member: User, folder: Path) -> None:
    load(folder)
    lesson = Lesson.objects.get(slug="open-lesson")
    progress.record_read(member, lesson)
    path = folder / "lessons/0-02-open.md"
    text = path.read_text("utf-8")
    path.unlink()
    load(folder)
    assert not Lesson.objects.shown().filter(pk=lesson.pk).exists()
    path.write_text(text)
    load(folder)
    assert progress.read_ids(member) == {lesson.pk}


def test_a_quiz_item_that_goes_keeps_its_attempts(member: User, folder: Path) -> None:
    load(folder)
    item = QuizItem.objects.get(key="cost")
    QuizAttempt.objects.create(user=member, item=item, response=[0], score=0, item_version=item.version)
    edit(folder, "lessons/1-01-checkpointing.md", "id: cost", "id: price")
    load(folder)
    item.refresh_from_db()
    assert item.retired and item.attempts.count() == 1
    assert QuizItem.objects.get(key="price").retired is False


def test_content_with_a_fault_loads_nothing(db: None, folder: Path) -> None:
    edit(folder, "lessons/0-02-open.md", "minutes: 5", "minutes: five")
    with pytest.raises(CommandError, match="Nothing was loaded"):
        call_command("content", "sync", "--folder", str(folder))
    assert Lesson.objects.count() == 0
