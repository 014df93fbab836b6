"""Questions on numbers: every file, every draw, and what leaves the server before an answer."""

from __future__ import annotations

import random
import time
from pathlib import Path

import pytest
from django.test import Client

from accounts.models import User
from courses.calculators import units
from practice import drawing, numbers
from practice.models import NumberTry

OPEN = "kv-bytes-a-token"
PAGE = f"/practise/numbers/{OPEN}/"
CONTENT = Path("courses/content")


def right_answer(number_id: str, inputs: dict[str, object]) -> str:
    number = numbers.get(number_id)
    assert number
    figure = number.compute(inputs).figure(number.figure)
    return f"{units.exact(figure.value)} {figure.unit}"


def test_there_are_enough_and_some_are_open_to_anyone():
    every = numbers.all_numbers()
    assert len(every) >= 12
    assert {number.tier for number in every} == {"open", "free", "premium"}


@pytest.mark.parametrize("number", numbers.all_numbers(), ids=lambda number: number.id)
def test_every_draw_can_be_asked_answered_and_explained(number):
    answers = set()
    for inputs in number.every():
        result = number.compute(inputs)
        figure = result.figure(number.figure)
        answers.add(figure.value)
        assert units.finite(figure.value) and figure.value > 0
        texts = [number.ask, number.method, *(text for _, text in number.given)]
        assert not [text for text in texts if "{" in number.say(text, inputs)]
        solution = drawing._solve(number, inputs, "1", False)
        assert solution.formula and "{" not in solution.formula
        assert solution.mathml or number.worked
        # the figure as these pages print it is a right answer
        assert drawing._check(
            number, inputs, f"{units.exact(figure.value)}{' ' + figure.unit if figure.unit else ''}"
        ).right
    assert len(answers) > 3, "a draw that always has the same answer asks nothing"


def test_every_lesson_and_track_that_a_file_names_exists():
    lessons = {
        line.removeprefix("id:").strip()
        for path in CONTENT.glob("lessons/*.md")
        for line in path.read_text().splitlines()[:3]
        if line.startswith("id:")
    }
    course = (CONTENT / "course.yaml").read_text()
    for number in numbers.all_numbers():
        assert number.lesson in lessons, number.id
        assert f"id: {number.track}" in course, number.id


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (("figure: bytes_per_token", "figure: nothing"), "no figure"),
        (("unit: KiB", "unit: days"), "cannot be"),
        (("calculator: kv-cache", "calculator: kv"), "no calculator"),
        (("tier: open", "tier: gold"), "tier one of"),
        (("title:", "titel:"), "lacks title and has titel"),
        (("{layers}", "{layer}"), "layer"),
        (("unit: KiB", "unit: KiB\ntolerance: 0.1"), "GB would pass for a GiB"),
    ],
)
def test_a_file_that_is_wrong_says_how(tmp_path, change, words):
    text = (numbers.FOLDER / f"{OPEN}.yaml").read_text()
    assert change[0] in text
    path = tmp_path / "bad.yaml"
    path.write_text(text.replace(*change))
    with pytest.raises(numbers.BadNumber, match=words):
        numbers.read(path)


def test_it_is_drawn_anew_and_never_the_same_twice_in_a_row():
    number = numbers.get(OPEN)
    chance = random.Random(1)
    last = None
    for _ in range(50):
        inputs = number.drawn(chance, last)
        assert inputs != last and number.holds(inputs)
        last = inputs


@pytest.mark.django_db
def test_what_is_right_leaves_with_the_answer_only(as_member: Client, member: User):
    page = as_member.get(PAGE).content.decode()
    drawn = NumberTry.objects.get(user=member)
    number = numbers.get(OPEN)
    figure = number.compute(drawn.inputs).figure(number.figure)
    giveaways = [figure.display, units.exact(figure.value), number.method]
    assert not [each for each in giveaways if each in page]
    assert as_member.get(PAGE).content.decode().count(number.ask) == 1
    assert NumberTry.objects.count() == 1, "a page opened twice is one draw"
    as_member.post(f"{PAGE}answer/", {"answer": "1 byte"})
    page = as_member.get(PAGE).content.decode()
    assert all(each in page for each in [figure.display, number.method, "Not right."])


@pytest.mark.django_db
@pytest.mark.parametrize("unit", ["bytes", "kB", "KiB", "kbit"])
def test_any_sensible_unit_is_right(as_member: Client, member: User, unit: str):
    as_member.get(PAGE)
    drawn = NumberTry.objects.get(user=member)
    number = numbers.get(OPEN)
    value = number.compute(drawn.inputs)[number.figure]
    typed = f"{units.rounded(float(value / units.scale(unit)), 5)} {unit}"
    as_member.post(f"{PAGE}answer/", {"answer": typed})
    drawn.refresh_from_db()
    assert (drawn.right, drawn.typed) == (True, typed)
    assert "Right." in as_member.get(PAGE).content.decode()


@pytest.mark.django_db
def test_gigabytes_are_told_from_gibibytes(as_member: Client, member: User):
    page = "/practise/numbers/kv-cache-of-a-batch/"
    as_member.get(page)
    drawn = NumberTry.objects.get(user=member)
    number = numbers.get("kv-cache-of-a-batch")
    gib = number.compute(drawn.inputs)["total_bytes"] / 2**30
    as_member.post(f"{page}answer/", {"answer": f"{gib} GB"})
    shown = as_member.get(page).content.decode()
    assert "Not right." in shown and "right in GiB, and you wrote it in GB" in shown


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("typed", "words"),
    [("1,5 GB", "two readings"), ("9**9**9", "not an expression"), ("", "Type a number"), ("x" * 150, "long")],
)
def test_what_has_two_readings_or_none_is_asked_back_and_uses_nothing_up(as_member: Client, typed: str, words: str):
    as_member.get(PAGE)
    started = time.thread_time()
    response = as_member.post(f"{PAGE}answer/", {"answer": typed})
    assert time.thread_time() - started < 2
    assert response.status_code == 422 and words in response.content.decode()
    assert NumberTry.objects.get().answered_at is None
    swapped = as_member.post(f"{PAGE}answer/", {"answer": typed}, headers={"HX-Request": "true"})
    assert swapped.status_code == 200 and words in swapped.content.decode()


@pytest.mark.django_db
def test_one_draw_takes_one_answer_and_the_next_has_other_numbers(as_member: Client, member: User):
    as_member.get(PAGE)
    as_member.post(f"{PAGE}again/")
    assert NumberTry.objects.count() == 1, "an open draw is not thrown away for an easier one"
    as_member.post(f"{PAGE}answer/", {"answer": "1 byte"})
    first = NumberTry.objects.get()
    as_member.post(f"{PAGE}answer/", {"answer": right_answer(OPEN, first.inputs)})
    first.refresh_from_db()
    assert first.right is False
    as_member.post(f"{PAGE}again/")
    second = NumberTry.objects.get(answered_at=None)
    assert second.inputs != first.inputs
    assert "Not right." not in as_member.get(PAGE).content.decode()


@pytest.mark.django_db
def test_a_visitor_does_open_ones_in_their_session(visitor: Client):
    page = visitor.get(PAGE).content.decode()
    assert "Check" in page
    inputs = visitor.session[drawing.VISITOR][OPEN]["inputs"]
    visitor.post(f"{PAGE}answer/", {"answer": right_answer(OPEN, inputs)})
    assert "Right." in visitor.get(PAGE).content.decode()
    assert not NumberTry.objects.exists()
    visitor.post(f"{PAGE}again/")
    assert visitor.session[drawing.VISITOR][OPEN]["inputs"] != inputs


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("number_id", "unlock"), [("bytes-to-train", "free account"), ("price-of-checkpointing", "Premium")]
)
def test_what_is_locked_is_not_drawn_nor_answered(visitor: Client, number_id: str, unlock: str):
    page = f"/practise/numbers/{number_id}/"
    body = visitor.get(page).content.decode()
    assert unlock in body and numbers.get(number_id).ask[:30] not in body and "Check" not in body
    visitor.post(f"{page}answer/", {"answer": "1", "do": "show"})
    assert "numbers" not in visitor.session
    assert numbers.get(number_id).method not in visitor.get(page).content.decode()


@pytest.mark.django_db
def test_giving_up_shows_the_solution_and_counts_as_not_right(as_member: Client):
    as_member.get(PAGE)
    as_member.post(f"{PAGE}answer/", {"do": "show", "answer": "77"})
    assert NumberTry.objects.get().right is False
    assert "The solution." in as_member.get(PAGE).content.decode()


@pytest.mark.django_db
def test_a_draw_that_the_file_no_longer_makes_is_drawn_again(as_member: Client, member: User):
    NumberTry.objects.create(user=member, number=OPEN, inputs={"layers": 3})
    assert "Check" in as_member.get(PAGE).content.decode()
    assert NumberTry.objects.get().inputs != {"layers": 3}
