"""What is locked never leaves the server: each view, each kind of person, sentences planted in what is locked."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from accounts.models import User
from courses.models import Answer, LessonRead, QuizAttempt, QuizItem

pytestmark = pytest.mark.usefixtures("curriculum")

FREE = ["FREE-SECRET"]
LESSON = ["PREMIUM-SECRET", "PREMIUM-CODE", "PREMIUM-CAPTION", "PREMIUM-TERM", "READING-SECRET", "KEEP-SECRET"]
SHORT = ["SHORT-SECRET"]
WORKED = ["WORKED-SECRET", "NUMBERS-SECRET", "NOTE-SECRET", "RUBRIC-SECRET", "FLAG-SECRET", "FOLLOW-SECRET"]
ALL = [*FREE, *LESSON, *SHORT, *WORKED, "QUIZ-WHY-RIGHT", "QUIZ-EXPLANATION"]

PAGES = [
    # page, what a visitor, a member and someone with premium may read there of the planted sentences
    ("/", [], [], []),
    ("/course/", [], [], []),
    ("/questions/", [], [], []),
    ("/calculators/", [], [], []),
    ("/calculators/time-to-train/", [], [], []),
    ("/lessons/saved-tensors/", [], FREE, FREE),
    ("/lessons/checkpointing/", [], [], LESSON),
    ("/questions/when-it-pays/", [], SHORT, [*SHORT, *WORKED]),
    ("/lessons/no-such-lesson/", [], [], []),
]


def planted_in(response: Any) -> list[str]:
    """Return the planted sentences that a response holds, in its body or its context."""
    body = response.content.decode()
    return [sentence for sentence in ALL if sentence in body]


@pytest.mark.parametrize(("address", "for_visitor", "for_member", "for_premium"), PAGES)
def test_a_page_shows_what_is_open_and_nothing_else(
    visitor: Client,
    as_member: Client,
    as_premium: Client,
    address: str,
    for_visitor: list[str],
    for_member: list[str],
    for_premium: list[str],
) -> None:
    assert planted_in(visitor.get(address)) == for_visitor
    assert planted_in(as_member.get(address)) == for_member
    assert planted_in(as_premium.get(address)) == for_premium


def test_locked_text_does_not_even_reach_the_context(as_member: Client) -> None:
    context = as_member.get("/lessons/checkpointing/").context
    assert [section.title for section in context["opened"].sections] == ["The problem", "The concept"]
    assert "quiz" not in context
    question = as_member.get("/questions/when-it-pays/").context
    assert [section.title for section in question["opened"].sections] == []
    assert "rubric" not in question


def test_a_preview_shows_the_first_sections_and_what_is_locked_by_title(visitor: Client) -> None:
    page = visitor.get("/lessons/checkpointing/").content.decode()
    assert "PREVIEW-ONE" in page and "PREVIEW-TWO" in page
    offer = page.split('class="lock"')[1].split("</section>")[0]
    assert "Build it" in offer and "Ship it" in offer and "A quiz of 3" in offer


def test_a_premium_grant_that_ended_locks_again(as_premium: Client, premium: User) -> None:
    premium.grants.update(until="2020-01-01T00:00:00Z")
    assert planted_in(as_premium.get("/lessons/checkpointing/")) == []


def test_staff_may_read_everything(staff: User) -> None:
    client = Client()
    client.force_login(staff)
    assert planted_in(client.get("/lessons/checkpointing/")) == LESSON


def test_actions_on_a_locked_page_do_nothing(as_member: Client, visitor: Client) -> None:
    item = QuizItem.objects.get(key="cost")
    for client in (as_member, visitor):
        for address, body in (
            (f"/lessons/checkpointing/quiz/{item.key}/", {"option": "0"}),
            ("/lessons/checkpointing/read/", {}),
            ("/questions/when-it-pays/mark/", {"point": "0"}),
        ):
            response = client.post(address, body)
            assert response.status_code == 302
            assert planted_in(client.get(response["Location"])) in ([], SHORT)
    assert not QuizAttempt.objects.exists()
    assert not LessonRead.objects.exists()


def test_a_member_may_answer_a_premium_question_and_still_not_read_the_worked_answer(as_member: Client) -> None:
    response = as_member.post("/questions/when-it-pays/answer/", {"text": "mine", "do": "submit"}, follow=True)
    assert planted_in(response) == SHORT
    assert Answer.objects.get().text == "mine"
