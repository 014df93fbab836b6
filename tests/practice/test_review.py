"""Review: what is due, what is never shown, grades, undo, and a cache that says what the log says."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta

import pytest
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from accounts.access import Person
from accounts.models import User
from courses.models import Lesson, Question, QuizAttempt, QuizItem
from courses.quizzes import token
from practice import cards, numbers, reviewing, schedule, terms
from practice.models import CardState, NumberTry, Review

pytestmark = pytest.mark.usefixtures("curriculum")

PAGE = "/practise/review/"
NOW = datetime(2026, 3, 10, 12, tzinfo=UTC)
DAY = NOW.date()


def keys(user: User, now: datetime | None = None) -> list[str]:
    return cards.available(user, Person.of(user), now or timezone.now())


def term_key() -> str:
    lesson = Lesson.objects.get(slug="saved-tensors")
    return f"term:{lesson.pk}:{lesson.terms[0]['anchor']}"


def quiz_key(key: str = "kept") -> str:
    return f"quiz:{QuizItem.objects.get(key=key).pk}"


def rebuilt(user: User) -> list[dict[str, object]]:
    """Throw every state away, compute it from the log, and return the rows."""
    for card in set(Review.objects.filter(user=user).values_list("card", flat=True)):
        CardState.objects.filter(user=user, card=card).delete()
        reviewing.rebuild(user, card)
    return states(user)


def states(user: User) -> list[dict[str, object]]:
    return [{**row, "id": 0} for row in CardState.objects.filter(user=user).order_by("card").values()]


def test_there_is_nothing_before_a_lesson_was_read_and_then_its_cards(member: User, reads):
    assert keys(member) == []
    reads(member, "saved-tensors")
    assert keys(member) == [term_key(), quiz_key()]


def test_numbers_and_questions_of_a_read_lesson_come_up(premium: User, reads):
    Lesson.objects.filter(slug="checkpointing").update(slug="activation-checkpointing")
    reads(premium, "activation-checkpointing")
    found = keys(premium)
    assert "number:price-of-checkpointing" in found
    assert f"question:{Question.objects.get().pk}" in found
    assert {quiz_key("cost"), quiz_key("order"), quiz_key("bytes")} <= set(found)


def test_what_a_lapsed_plan_closed_never_comes_up_and_its_history_is_kept(premium: User, reads, as_premium: Client):
    Lesson.objects.filter(slug="checkpointing").update(slug="activation-checkpointing")
    reads(premium, "activation-checkpointing", "saved-tensors")
    due = keys(premium)
    for key in due:
        reviewing.grade(premium, key, 1, 1, timezone.now())
    premium.grants.update(until=timezone.now() - timedelta(seconds=1))
    left = reviewing.today(premium, Person.of(premium), timezone.now() + timedelta(days=400)).due
    assert set(left) == {term_key(), quiz_key()}
    assert Review.objects.count() == len(due)
    for key in set(due) - set(left):
        page = as_premium.get(PAGE, {"card": key}).content.decode()
        assert key not in page
        for address, sent in (("turn", {"card": key, "answer": "1"}), ("grade", {"card": key, "grade": 3, "nth": 2})):
            page = as_premium.post(f"{PAGE}{address}/", sent, follow=True).content.decode()
            assert "not open to you any more" in page and key not in page
    assert Review.objects.count() == len(due)
    for secret in ("QUIZ-PREMIUM", "SECRET"):
        assert secret not in as_premium.get(PAGE).content.decode()


def test_a_retired_item_and_a_retired_lesson_do_not_come_up(member: User, reads):
    reads(member, "saved-tensors")
    QuizItem.objects.update(retired=True)
    assert keys(member) == [term_key()]
    Lesson.objects.update(retired=True)
    assert keys(member) == []


STATE = tuple[str, date, date, date, datetime]


def state(card: str, due: int, first: int = -30, last: int = -9) -> STATE:
    return card, *(DAY + timedelta(days=each) for each in (due, first, last)), NOW + timedelta(days=last)


@pytest.mark.parametrize(
    ("open_now", "kept", "due"),
    [
        ("abc", [], "abc"),
        ("abc", [state("b", 0)], "bac"),
        ("abc", [state("b", 1)], "ac"),
        ("abc", [state("b", 0), state("c", -3)], "cba"),
        ("ab", [state("c", 0)], "ab"),
        # a card to see once more today comes last
        ("abc", [state("a", 0, 0, 0), state("b", -1)], "bca"),
    ],
)
def test_what_waited_longest_comes_first_then_new_ones_then_todays_again(open_now, kept, due):
    assert "".join(reviewing.arrange(list(open_now), kept, DAY).due) == due


def test_new_cards_come_twenty_a_day():
    many = [f"n{number}" for number in range(50)]
    assert reviewing.arrange(many, [], DAY).fresh == reviewing.NEW_A_DAY
    begun = [state(card, 3, first=0, last=0) for card in many[:15]]
    assert reviewing.arrange(many, begun, DAY).due == many[15:20]


@pytest.mark.parametrize(("zone", "due"), [("UTC", False), ("Asia/Tokyo", True), ("America/Los_Angeles", False)])
def test_the_learners_own_time_zone_decides_the_day(member: User, reads, zone: str, due: bool):
    """Given Easy on 10 March, due on the 18th: at 16:00 UTC on the 17th it is that day in Tokyo, and not in London."""
    member.timezone = zone
    member.save()
    reads(member, "saved-tensors")
    key = quiz_key()
    kept = reviewing.grade(member, key, schedule.EASY, 1, NOW)
    assert kept.due_on == DAY + timedelta(days=8)
    moment = datetime(2026, 3, 17, 16, tzinfo=UTC)
    assert (key in reviewing.today(member, Person.of(member), moment).due) == due


def test_the_night_the_clocks_change_moves_no_card(member: User, reads):
    member.timezone = "Europe/Paris"
    member.save()
    reads(member, "saved-tensors")
    late = datetime(2026, 3, 20, 22, 45, tzinfo=UTC)  # 23:45 in Paris; summer time begins on the 29th
    kept = reviewing.grade(member, quiz_key(), schedule.EASY, 1, late)
    assert kept.due_on == date(2026, 3, 28)


def test_the_kept_state_is_what_the_log_says(member: User, stranger: User, reads):
    reads(member, "saved-tensors")
    moment = NOW
    grades = [3, 3, 1, 2, 4, 3, 1, 1, 3]
    for nth, given in enumerate(grades, 1):
        for key in (quiz_key(), term_key()):
            reviewing.grade(member, key, given, nth, moment)
        moment += timedelta(days=nth % 4, hours=7)
    reviewing.grade(stranger, quiz_key(), 4, 1, NOW)
    before = states(member)
    assert len(before) == 2 and before == rebuilt(member)
    assert reviewing.undo(member, moment - timedelta(days=len(grades) % 4, hours=7)) == term_key()
    assert states(member) == rebuilt(member) != before


def test_the_command_mends_what_does_not_follow_from_the_log(member: User, reads):
    reads(member, "saved-tensors")
    reviewing.grade(member, quiz_key(), 3, 1, NOW)
    reviewing.grade(member, term_key(), 4, 1, NOW)
    before = states(member)
    CardState.objects.filter(card=quiz_key()).update(due_on=date(2031, 1, 1), stability=99)
    CardState.objects.filter(card=term_key()).delete()
    CardState.objects.create(**{**before[0], "id": None, "card": "quiz:999"})
    call_command("practice", "rebuild")
    assert states(member) == before


def test_a_grade_is_taken_once(member: User, reads):
    reads(member, "saved-tensors")
    reviewing.grade(member, quiz_key(), 3, 1, NOW)
    for nth in (0, 1, 3):
        with pytest.raises(reviewing.NotTaken, match="already"):
            reviewing.grade(member, quiz_key(), 1, nth, NOW)
    with pytest.raises(reviewing.NotTaken, match="one of"):
        reviewing.grade(member, quiz_key(), 5, 2, NOW)
    assert list(Review.objects.values_list("grade", flat=True)) == [3]


def test_undo_takes_back_todays_last_grade_and_no_older_one(member: User, stranger: User, reads):
    reads(member, "saved-tensors")
    reviewing.grade(member, quiz_key(), 3, 1, NOW)
    reviewing.grade(member, term_key(), 4, 1, NOW)
    reviewing.grade(stranger, quiz_key(), 4, 1, NOW)
    assert reviewing.undo(member, NOW) == term_key()
    assert list(CardState.objects.filter(user=member).values_list("card", flat=True)) == [quiz_key()]
    assert reviewing.undo(member, NOW + timedelta(days=1)) is None
    assert reviewing.undo(member, NOW) == quiz_key()
    assert reviewing.undo(member, NOW) is None
    assert Review.objects.count() == 1


def test_a_term_is_turned_by_asking_and_graded(as_member: Client, member: User, reads):
    reads(member, "saved-tensors")
    page = as_member.get(PAGE).content.decode()
    assert "saved tensor" in page and "Kept for backward" not in page and 'name="grade"' not in page
    page = as_member.post(f"{PAGE}turn/", {"card": term_key()}, follow=True).content.decode()
    assert "Kept for backward" in page and page.count('name="grade"') == 4
    assert re.search(r"Easy</span><small>in 8 days", page)
    page = as_member.post(f"{PAGE}grade/", {"card": term_key(), "grade": 4, "nth": 1}, follow=True).content.decode()
    assert "Kept for backward" not in page and quiz_key() in page
    page = as_member.post(f"{PAGE}undo/", follow=True).content.decode()
    assert "saved tensor" in page and "Kept for backward" not in page
    assert not Review.objects.exists()


def test_a_quiz_card_gives_nothing_away_until_it_is_answered_here(as_member: Client, member: User, reads):
    reads(member, "saved-tensors")
    item = QuizItem.objects.get(key="kept")
    # an answer in the lesson turns no card
    as_member.post(f"/lessons/saved-tensors/quiz/{item.key}/", {"option": token(item, 0)})
    page = as_member.get(PAGE, {"card": quiz_key()}).content.decode()
    assert "QUIZ-WHY" not in page and "QUIZ-EXPLANATION" not in page and 'name="grade"' not in page
    response = as_member.post(f"{PAGE}turn/", {"card": quiz_key()})
    assert response.status_code == 422 and "Choose an option first." in response.content.decode()
    assert "QUIZ-EXPLANATION" not in response.content.decode()
    page = as_member.post(f"{PAGE}turn/", {"card": quiz_key(), "option": token(item, 1)}, follow=True).content.decode()
    assert "QUIZ-EXPLANATION" in page and "Right." in page and page.count('name="grade"') == 4
    assert QuizAttempt.objects.count() == 2


def test_a_number_card_is_drawn_anew_each_time(as_premium: Client, premium: User, reads):
    Lesson.objects.filter(slug="open-lesson").update(slug="kv-cache")
    reads(premium, "kv-cache")
    key = "number:kv-bytes-a-token"
    page = as_premium.get(PAGE, {"card": key}).content.decode()
    first = NumberTry.objects.get(number="kv-bytes-a-token")
    method = numbers.get("kv-bytes-a-token").method
    assert method not in page
    response = as_premium.post(f"{PAGE}turn/", {"card": key, "answer": "1,5 GB"})
    assert response.status_code == 422 and response.content.decode().count("two readings") == 1
    page = as_premium.post(f"{PAGE}turn/", {"card": key, "answer": "5 bytes"}, follow=True).content.decode()
    assert method in page
    as_premium.post(f"{PAGE}grade/", {"card": key, "grade": 1, "nth": 1})
    page = as_premium.get(PAGE, {"card": key}).content.decode()
    assert method not in page
    assert NumberTry.objects.get(answered_at=None).inputs != first.inputs


def test_a_visitor_is_offered_an_account(visitor: Client):
    assert "free account" in visitor.get(PAGE).content.decode()
    for address in ("turn", "grade", "undo"):
        assert visitor.post(f"{PAGE}{address}/", {"card": term_key(), "grade": 3, "nth": 1}).status_code == 302
    assert not Review.objects.exists()


@pytest.mark.parametrize("sent", [{}, {"card": "quiz:x"}, {"card": "nothing:1"}, {"card": "term:1:²", "grade": "²"}])
def test_a_forged_card_is_answered_and_changes_nothing(as_member: Client, member: User, reads, sent: dict[str, str]):
    reads(member, "saved-tensors")
    assert as_member.get(PAGE, sent).status_code == 200
    for address in ("turn", "grade"):
        assert as_member.post(f"{PAGE}{address}/", sent).status_code == 302
    assert not Review.objects.exists()


def test_a_definition_is_cut_out_whole():
    html = (
        '<p>Before</p><div class="term" id="term-a"><p class="term-name"><dfn>a</dfn></p><p>One &lt; <b>two</b><br>'
        '<math><mi>x</mi></math> <div>in</div></p></div><div class="term" id="term-b"><p>Other</p></div>'
    )
    taken = terms.definition(html, "term-a")
    assert taken == "<p>One &lt; <b>two</b><br><math><mi>x</mi></math> <div>in</div></p>"
    assert terms.definition(html, "term-b") == "<p>Other</p>"
    assert terms.definition(html, "term-c") == ""
