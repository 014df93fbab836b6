"""The schedule is a function of the grades and their days, and of nothing else."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from practice.schedule import AGAIN, EASY, GOOD, GRADES, HARD, Grade, in_words, preview, replay

DAY = date(2026, 3, 1)


def after(*grades: tuple[int, int]) -> Grade:
    return [Grade(grade, DAY + timedelta(days=days)) for grade, days in grades]


def test_nothing_reviewed_is_nowhere():
    assert replay([]) is None


def test_good_twice_on_the_first_day_waits_two_days_and_then_longer():
    assert replay(after((GOOD, 0))).due_on == DAY
    assert replay(after((GOOD, 0), (GOOD, 0))).due_on == DAY + timedelta(days=2)
    state = replay(after((GOOD, 0), (GOOD, 0), (GOOD, 2)))
    assert (state.due_on - state.last_on).days > 7
    assert (state.reviews, state.first_on, state.last_on) == (3, DAY, DAY + timedelta(days=2))


def test_a_lapse_comes_up_again_on_the_same_day():
    state = replay(after((EASY, 0), (AGAIN, 8)))
    assert state.due_on == state.last_on == DAY + timedelta(days=8)


def test_the_better_the_grade_the_longer_the_wait():
    ahead = preview(after((GOOD, 0), (GOOD, 0), (GOOD, 2)), DAY + timedelta(days=13))
    assert ahead[AGAIN] == 0 < ahead[HARD] < ahead[GOOD] < ahead[EASY]


def test_a_day_before_the_last_counts_as_the_last():
    west = after((GOOD, 0), (GOOD, 0), (GOOD, 2), (GOOD, 1))
    assert replay(west) == replay(after((GOOD, 0), (GOOD, 0), (GOOD, 2), (GOOD, 2)))


HISTORIES = st.lists(
    st.builds(Grade, st.sampled_from(GRADES), st.dates(min_value=DAY, max_value=date(2031, 1, 1))), max_size=30
)


@given(HISTORIES)
def test_the_same_history_is_the_same_state(history):
    state = replay(history)
    assert state == replay(list(history))
    if history:
        assert state.due_on >= state.last_on == max(grade.day for grade in history)
        assert state.reviews == len(history)


@given(HISTORIES, st.sampled_from(GRADES))
def test_the_preview_is_what_the_grade_then_does(history, grade):
    day = max((each.day for each in history), default=DAY)
    state = replay([*history, Grade(grade, day)])
    assert preview(history, day)[grade] == (state.due_on - state.last_on).days


@pytest.mark.parametrize(
    ("days", "words"),
    [(0, "today"), (1, "tomorrow"), (12, "in 12 days"), (91, "in 3 months"), (800, "in 2.2 years")],
)
def test_a_wait_in_words(days, words):
    assert in_words(days) == words
