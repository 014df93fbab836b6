"""Days are the learner's own."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest

from accounts.models import User
from practice.days import Streak, streak, today

DAY = date(2026, 3, 10)


@pytest.mark.parametrize(
    ("zone", "moment", "day"),
    [
        ("UTC", datetime(2026, 3, 1, 23, 30, tzinfo=UTC), date(2026, 3, 1)),
        ("Asia/Tokyo", datetime(2026, 3, 1, 23, 30, tzinfo=UTC), date(2026, 3, 2)),
        ("America/Los_Angeles", datetime(2026, 3, 1, 7, 30, tzinfo=UTC), date(2026, 2, 28)),
        ("Mars/Olympus", datetime(2026, 3, 1, 23, 30, tzinfo=UTC), date(2026, 3, 1)),
    ],
)
def test_the_date_is_that_of_their_zone(zone, moment, day):
    assert today(User(timezone=zone), moment) == day


def ago(*days: int) -> list[date]:
    return [DAY - timedelta(days=each) for each in days]


@pytest.mark.parametrize(
    ("days", "expected"),
    [
        ([], Streak(0, 0, 0, False)),
        (ago(0), Streak(1, 1, 1, True)),
        (ago(0, 1, 2), Streak(3, 3, 3, True)),
        (ago(1, 2), Streak(2, 2, 2, False)),
        (ago(2, 3), Streak(0, 2, 2, False)),
        (ago(0, 2, 3, 4), Streak(1, 3, 4, True)),
        (ago(0, 0, -1), Streak(1, 1, 1, True)),
    ],
)
def test_a_streak_lasts_until_a_day_is_over_without_practice(days, expected):
    assert streak(days, DAY) == expected
