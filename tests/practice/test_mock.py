"""Mock interviews: drawn from what is open, one question at a time, marked, reported."""

from __future__ import annotations

import random
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from accounts.access import Person
from accounts.models import User
from courses import answering
from courses.models import Answer, Lesson, Question, Track
from practice import mocks, report
from practice.mocks import Candidate
from practice.models import Mock, MockTurn

pytestmark = pytest.mark.usefixtures("curriculum")

PAGE = "/practise/mock/"
RUBRIC = [{"html": "one", "weight": 2}, {"html": "two", "weight": 1}]


@pytest.fixture
def questions() -> list[Question]:
    """Four questions: three free ones of two tracks, and the curriculum's premium one."""
    first = Question.objects.get()
    other = Track.objects.create(slug="other", title="Other track", position=9)
    made = [
        Question.objects.create(
            slug=f"q{number}",
            title=f"Topic {number}",
            level="core" if number < 3 else "advanced",
            tier="free",
            minutes=minutes,
            version="1",
            track=first.track if number == 1 else other,
            rubric=RUBRIC,
            red_flags=["bad"],
        )
        for number, minutes in ((1, 10), (2, 15), (3, 20))
    ]
    made[1].concepts.add(Lesson.objects.get(slug="open-lesson"), Lesson.objects.get(slug="checkpointing"))
    made[0].concepts.add(Lesson.objects.get(slug="saved-tensors"))
    return [*made, first]


def begin(client: Client, **sent: object) -> Mock:
    client.post(f"{PAGE}start/", {"track": "", "level": "", "minutes": 60, **sent})
    return Mock.objects.get(finished_at=None)


def send(client: Client, mock: Mock, text: str = "", do: str = "next", position: int | None = None):
    turn = mocks.current(mocks.turns(mock))
    draft = answering.draft_of(mock.user, turn.question)
    sent = {"text": text, "revision": draft.revision if draft else 0, "position": position or turn.position, "do": do}
    return client.post(f"{PAGE}{mock.pk}/answer/", sent)


def pool(*minutes: int, answered: tuple[int, ...] = ()) -> list[Candidate]:
    return [Candidate(pk, each, pk in answered) for pk, each in enumerate(minutes)]


@pytest.mark.parametrize("seed", range(20))
def test_a_draw_fits_its_minutes_and_asks_nothing_twice(seed):
    chosen = mocks.choose(pool(10, 15, 20, 30, 12, 8), 45, random.Random(seed))
    assert 0 < sum(each.minutes for each in chosen) <= 45
    assert len({each.pk for each in chosen}) == len(chosen)


def test_a_draw_prefers_new_questions_and_is_never_empty():
    assert {each.pk for each in mocks.choose(pool(20, 20, 20, answered=(0,)), 40, random.Random(1))} == {1, 2}
    assert [each.pk for each in mocks.choose(pool(50, 40), 30, random.Random(1))] == [1]
    assert mocks.choose([], 30, random.Random(1)) == []


def test_draws_differ():
    draws = {tuple(each.pk for each in mocks.choose(pool(*[10] * 8), 30, random.Random(seed))) for seed in range(9)}
    assert len(draws) > 3


def test_only_what_may_be_opened_whole_is_asked(as_member: Client, questions: list[Question]):
    mock = begin(as_member, minutes=90)
    assert {turn.question.slug for turn in mocks.turns(mock)} == {"q1", "q2", "q3"}
    page = as_member.get(PAGE).content.decode()
    assert "Go on" in page


def test_track_and_level_choose(as_member: Client, questions: list[Question]):
    mock = begin(as_member, track="other", level="core")
    assert [turn.question.slug for turn in mocks.turns(mock)] == ["q2"]
    assert mock.track == "Other track"


def test_what_nothing_fits_says_so(as_member: Client, questions: list[Question]):
    response = as_member.post(f"{PAGE}start/", {"track": "other", "level": "foundational", "minutes": "²"})
    assert response.status_code == 422 and "choose another" in response.content.decode()
    assert not Mock.objects.exists()


def test_one_runs_at_a_time(as_member: Client, questions: list[Question]):
    mock = begin(as_member)
    assert begin(as_member) == mock


def test_one_question_at_a_time_with_a_clock_of_the_server(as_member: Client, questions: list[Question]):
    mock = begin(as_member, minutes=90)
    first = mocks.turns(mock)[0]
    MockTurn.objects.filter(pk=first.pk).update(started_at=timezone.now() - timedelta(minutes=3))
    page = as_member.get(f"{PAGE}{mock.pk}/").content.decode()
    assert page.count("<h1>") == 1 and f"<h1>{first.question.title}</h1>" in page
    others = [turn.question.title for turn in mocks.turns(mock)[1:]]
    assert not [title for title in others if title in page]
    left = int(page.split('data-clock="')[1].split('"')[0])
    assert 60 * (first.minutes - 3) - 5 <= left <= 60 * (first.minutes - 3)
    send(as_member, mock, "My answer.")
    turns = mocks.turns(mock)
    assert turns[0].answer.text == "My answer." and turns[0].answer.submitted_at
    assert turns[0].answer.time_used.startswith("3 min")
    assert turns[1].started_at == turns[0].ended_at and turns[2].started_at is None


def test_a_second_press_does_not_answer_the_next_question(as_member: Client, questions: list[Question]):
    mock = begin(as_member, minutes=90)
    send(as_member, mock, "One.")
    response = send(as_member, mock, "One.", position=1)
    assert response.status_code == 302
    assert [bool(turn.ended_at) for turn in mocks.turns(mock)] == [True, False, False]
    assert Answer.objects.count() == 1


def test_a_draft_of_another_tab_is_not_overwritten(as_member: Client, questions: list[Question], member: User):
    mock = begin(as_member)
    turn = mocks.current(mocks.turns(mock))
    answering.save_draft(member, turn.question, "From elsewhere.", 0)
    response = as_member.post(f"{PAGE}{mock.pk}/answer/", {"text": "Mine.", "revision": 0, "position": 1, "do": "next"})
    page = response.content.decode()
    assert response.status_code == 409 and "Mine." in page and "From elsewhere." in page
    assert mocks.current(mocks.turns(mock)) == turn


def test_it_is_marked_and_reported(as_member: Client, questions: list[Question], member: User):
    mock = begin(as_member, minutes=90)
    for turn in mocks.turns(mock):
        MockTurn.objects.filter(pk=turn.pk).update(started_at=timezone.now() - timedelta(minutes=12))
        send(as_member, mock, "" if turn.question.slug == "q2" else f"Answer to {turn.question.slug}.")
        MockTurn.objects.filter(mock=mock, ended_at=None).update(started_at=timezone.now() - timedelta(minutes=12))
    page = as_member.get(f"{PAGE}{mock.pk}/").content.decode()
    assert "Mark your answers" in page and "Passed over." in page and "Answer to q1." in page
    by_slug = {turn.question.slug: turn.position for turn in mocks.turns(mock)}
    as_member.post(
        f"{PAGE}{mock.pk}/mark/",
        {f"point-{by_slug['q1']}": [0, 1], f"point-{by_slug['q3']}": [1, 7, "²"], f"flag-{by_slug['q3']}": [0]},
    )
    page = as_member.get(f"{PAGE}{mock.pk}/").content.decode()
    assert "4 of 9" in page and "1 passed over" in page.replace("<b>1</b>", "1")
    made = report.of(mock, mocks.asked(mocks.turns(mock)), Person.of(member), timezone.now())
    assert (made.points, made.points_of, made.flags, made.planned, made.passed_over) == (4, 9, 1, 45, 1)
    assert made.used == "36 min"
    assert [row.over for row in made.rows if row.turn.question.slug == "q1"] == [True]
    assert (made.weakest.title, made.weakest.points, made.weakest.points_of) == ("Other track", 1, 6)
    # of the two lessons behind the worst question one is premium, and stays out
    assert [lesson.slug for lesson in made.read_next] == ["open-lesson"]
    assert Answer.objects.get(question__slug="q3").points == [1]


def test_the_report_stays_as_it_was_marked(as_member: Client, questions: list[Question]):
    mock = begin(as_member, track="other", level="core")
    send(as_member, mock, "Text.")
    as_member.post(f"{PAGE}{mock.pk}/mark/", {"point-1": [0, 1]})
    Question.objects.filter(slug="q2").update(rubric=[{"html": "new", "weight": 9}], version="2")
    assert "3 of 3" in as_member.get(f"{PAGE}{mock.pk}/").content.decode()


def test_it_can_be_ended_early_and_what_was_not_asked_does_not_count(as_member: Client, questions: list[Question]):
    mock = begin(as_member, minutes=90)
    send(as_member, mock, "Text.", do="end")
    mock.refresh_from_db()
    assert mock.finished_at and len(mocks.asked(mocks.turns(mock))) == 1
    as_member.post(f"{PAGE}{mock.pk}/mark/", {})
    assert "0 of 3" in as_member.get(f"{PAGE}{mock.pk}/").content.decode()
    assert send_late(as_member, mock).status_code == 302
    assert Answer.objects.count() == 1


def send_late(client: Client, mock: Mock):
    return client.post(f"{PAGE}{mock.pk}/answer/", {"text": "Late.", "revision": 0, "position": 2, "do": "next"})


def test_a_rubric_that_a_lapsed_plan_closed_stays_on_the_server(as_premium: Client, premium: User):
    mock = begin(as_premium)
    send(as_premium, mock, "Text.")
    premium.grants.update(until=timezone.now() - timedelta(seconds=1))
    page = as_premium.get(f"{PAGE}{mock.pk}/").content.decode()
    assert "RUBRIC-SECRET" not in page and "FLAG-SECRET" not in page and "opens with Premium" in page
    as_premium.post(f"{PAGE}{mock.pk}/mark/", {"point-1": [0]})
    assert MockTurn.objects.get().points is None
    assert as_premium.get(f"{PAGE}{mock.pk}/").status_code == 200


def test_nobody_sees_anothers(as_member: Client, questions: list[Question], stranger: User, visitor: Client):
    mock = begin(as_member)
    other = Client()
    other.force_login(stranger)
    assert other.get(f"{PAGE}{mock.pk}/").status_code == 404
    assert send_late(other, mock).status_code == other.post(f"{PAGE}{mock.pk}/mark/").status_code == 404
    assert visitor.get(f"{PAGE}{mock.pk}/").status_code == 302
    assert "free account" in visitor.get(PAGE).content.decode()
