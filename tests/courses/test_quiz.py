"""Quizzes are graded on the server, and what is right leaves it with the feedback only."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from accounts.models import User
from courses import quizzes
from courses.models import QuizAttempt, QuizItem

pytestmark = pytest.mark.usefixtures("curriculum")

PAGE = "/lessons/saved-tensors/"
GIVEAWAYS = ["QUIZ-WHY-RIGHT", "QUIZ-WHY-WRONG", "QUIZ-EXPLANATION"]


def item(key: str) -> QuizItem:
    return QuizItem.objects.get(key=key)


def send(client: Client, key: str, *numbers: int, **headers: str) -> None:
    found = item(key)
    address = f"/lessons/{found.lesson.slug}/quiz/{key}/"
    return client.post(address, {"option": [quizzes.token(found, number) for number in numbers]}, headers=headers)


def test_nothing_tells_the_right_answer_before_an_attempt(as_member: Client) -> None:
    page = as_member.get(PAGE).content.decode()
    assert not [each for each in GIVEAWAYS if each in page]
    assert 'class="good"' not in page
    values = re.findall(r'name="option" value="(\w+)"', page)
    assert values == [quizzes.token(item("kept"), number) for number in range(2)]
    assert not {"0", "1", "true", "right"} & set(values)


@pytest.mark.parametrize("key", ["kept", "cost", "order", "bytes"])
def test_what_may_be_shown_before_an_attempt_holds_nothing_that_is_right(key: str) -> None:
    shown = quizzes.show(item(key), None)
    assert (shown.score, shown.explanation, shown.answer) == (None, "", "")
    assert all((option.right, option.why, option.chosen) == (None, "", False) for option in shown.options)


def test_an_attempt_brings_feedback_by_option_and_is_kept(as_member: Client, member: User) -> None:
    send(as_member, "kept", 0)
    page = as_member.get(PAGE).content.decode()
    assert all(each in page for each in GIVEAWAYS) and "Not yet." in page
    send(as_member, "kept", 1)
    assert "Right." in as_member.get(PAGE).content.decode()
    assert list(QuizAttempt.objects.filter(user=member).order_by("pk").values_list("score", flat=True)) == [0.0, 1.0]


def test_a_visitor_gets_feedback_on_an_open_lesson(visitor: Client) -> None:
    assert "VISITOR-WHY" not in visitor.get("/lessons/open-lesson/").content.decode()
    send(visitor, "first", 0)
    page = visitor.get("/lessons/open-lesson/").content.decode()
    assert "VISITOR-WHY" in page and "VISITOR-EXPLANATION" in page
    assert not QuizAttempt.objects.exists()
    assert "VISITOR-WHY" not in Client().get("/lessons/open-lesson/").content.decode()


def test_htmx_gets_the_one_item(as_member: Client) -> None:
    response = send(as_member, "kept", 1, **{"HX-Request": "true"})
    body = response.content.decode()
    assert body.lstrip().startswith("<form") and "QUIZ-WHY-RIGHT" in body


def test_an_empty_attempt_says_so_and_gives_nothing_away(as_member: Client) -> None:
    response = as_member.post(f"{PAGE}quiz/kept/", {})
    assert response.status_code == 422
    page = response.content.decode()
    assert "Choose an option first." in page
    assert not [each for each in GIVEAWAYS if each in page]


def test_an_attempt_at_an_earlier_wording_no_longer_counts(as_member: Client) -> None:
    send(as_member, "kept", 1)
    QuizItem.objects.filter(key="kept").update(version="later")
    assert "QUIZ-EXPLANATION" not in as_member.get(PAGE).content.decode()


@pytest.mark.parametrize(
    ("key", "response", "score"),
    [
        ("cost", [0, 2], 1.0),
        ("cost", [0], 2 / 3),
        ("cost", [1], 0.0),
        ("order", [0, 1, 2], 1.0),
        ("order", [0, 2, 1], 1 / 3),
        ("bytes", "2", 1.0),
        ("bytes", "2.01 MiB", 1.0),
        ("bytes", "2,097,152 bytes", 1.0),
        ("bytes", "2 MB", 0.0),
    ],
)
def test_a_response_scores(key: str, response: quizzes.Response, score: float) -> None:
    assert quizzes.grade(item(key), response) == pytest.approx(score)


def test_an_ordering_is_shown_in_no_telling_order_and_read_by_place() -> None:
    found = item("order")
    shown = quizzes.show(found, None)
    tokens = [quizzes.token(found, number) for number in range(3)]
    assert sorted(option.token for option in shown.options) == sorted(tokens)
    assert [option.token for option in shown.options] != tokens
    sent = {f"place-{quizzes.token(found, number)}": [str(place)] for number, place in ((0, 2), (1, 1), (2, 3))}
    assert quizzes.read(found, sent) == [1, 0, 2]


@pytest.mark.parametrize(
    ("key", "sent", "sentence"),
    [
        ("order", {}, "a place of its own"),
        ("bytes", {}, "Type a number"),
        ("bytes", {"answer": ["1,5"]}, "two readings"),
        ("bytes", {"answer": ["9**9**9"]}, "not an expression"),
        ("cost", {"option": ["forged"]}, "Choose an option"),
    ],
)
def test_what_cannot_be_graded_is_asked_back(key: str, sent: dict[str, list[str]], sentence: str) -> None:
    with pytest.raises(quizzes.NotAnAnswer, match=sentence):
        quizzes.read(item(key), sent)


def test_the_last_attempt_is_shown_and_the_best_is_kept(as_premium: Client) -> None:
    for chosen in ([0], [0, 2], [1]):
        send(as_premium, "cost", *chosen)
    page = as_premium.get(item("cost").lesson.url).content.decode()
    assert "Your best of 3 attempts: all right. Above is the last." in page
    assert "Not yet." in page
    assert "At your best: 1 of 3 all right, 1 tried." in page


def test_a_part_right_says_how_much(as_premium: Client) -> None:
    body = send(as_premium, "cost", 0, **{"HX-Request": "true"}).content.decode()
    assert "66 % of it is right" in body


def test_a_visitors_best_is_kept_with_their_last(visitor: Client) -> None:
    right = next(number for number, option in enumerate(item("first").options) if option["right"])
    send(visitor, "first", right)
    send(visitor, "first", 1 - right)
    assert "Your best of 2 attempts: all right" in visitor.get("/lessons/open-lesson/").content.decode()


def test_a_figure_that_is_right_in_the_other_unit_is_told_apart(as_premium: Client) -> None:
    body = as_premium.post(
        f"{item('bytes').lesson.url}quiz/bytes/", {"answer": "2 MB"}, headers={"HX-Request": "true"}
    ).content.decode()
    assert "right in MiB, and you wrote it in MB" in body


def test_a_problem_after_an_attempt_leaves_the_attempt_as_it_was(as_member: Client) -> None:
    send(as_member, "kept", 1)
    body = as_member.post(f"{PAGE}quiz/kept/", {}, headers={"HX-Request": "true"}).content.decode()
    assert "Choose an option first." in body and "QUIZ-EXPLANATION" not in body
    assert "QUIZ-EXPLANATION" in as_member.get(PAGE).content.decode()


@pytest.mark.parametrize(
    ("key", "sent", "right"),
    [
        ("kept", {"option": [1]}, True),
        ("cost", {"option": [0, 2]}, True),
        ("order", {"place": [1, 2, 3]}, True),
        ("order", {"place": [2, 1, 3]}, False),
        ("bytes", {"answer": "2 MiB"}, True),
        ("bytes", {"answer": "2,097,152 bytes"}, True),
    ],
)
def test_each_kind_is_answered_through_its_form(as_premium: Client, key: str, sent: dict, right: bool) -> None:
    found = item(key)
    form: dict[str, object] = {"answer": sent.get("answer", "")}
    form["option"] = [quizzes.token(found, number) for number in sent.get("option", [])]
    for number, place in enumerate(sent.get("place", [])):
        form[f"place-{quizzes.token(found, number)}"] = str(place)
    body = as_premium.post(f"{found.lesson.url}quiz/{key}/", form, headers={"HX-Request": "true"}).content.decode()
    assert ("Right." in body) == right and ("Not yet." in body) != right
