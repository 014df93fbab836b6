"""A subscription's state as a table, and the laws that make the order of news harmless."""

import itertools
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from billing.state import GOING_ON, LIVE, OVER, RANK, Known, Snapshot, State, merge, missing, open_until, state

DAY = timedelta(days=1)
GRACE = 7 * DAY
START = datetime(2026, 6, 1, tzinfo=UTC)
END = START + 30 * DAY
NEVER = None


def known(status: str, paid_through: datetime | None = None, **given: datetime) -> Known:
    times = {"period_start": START, "period_end": END, **given}
    return Known(Snapshot(START, status, **times), paid_through)


TABLE = [
    # what is known, the day it is asked, the state, until when premium is open
    (Known(), 0, State.STARTING, NEVER),
    (known("incomplete"), 1, State.STARTING, NEVER),
    (known("incomplete_expired"), 1, State.ENDED, NEVER),
    (known("trialing"), 1, State.TRIAL, END + GRACE),
    (known("active"), 1, State.ACTIVE, END + GRACE),
    # the renewal is late: nobody is locked out for it
    (known("active"), 31, State.ACTIVE, END + GRACE),
    (known("active"), 37, State.LAPSED, END + GRACE),
    # settled to end: not a moment longer
    (known("active", cancel_at=END), 29, State.ENDING, END),
    (known("active", cancel_at=END), 30, State.ENDED, END),
    (known("trialing", cancel_at=END), 1, State.ENDING, END),
    # the payment for the period that began at START failed
    (known("past_due"), 0, State.GRACE, START + GRACE),
    (known("past_due"), 6, State.GRACE, START + GRACE),
    (known("past_due"), 7, State.LAPSED, START + GRACE),
    (known("unpaid"), 3, State.GRACE, START + GRACE),
    (known("past_due", cancel_at=START + 3 * DAY), 2, State.GRACE, START + 3 * DAY),
    (known("past_due", cancel_at=START + 3 * DAY), 4, State.ENDED, START + 3 * DAY),
    # and the one before it was not paid for either: no second grace
    (known("past_due", START - 30 * DAY), 0, State.LAPSED, START - 30 * DAY + GRACE),
    (known("past_due", START), 6, State.GRACE, START + GRACE),
    (known("canceled", ended_at=START + 5 * DAY), 6, State.ENDED, START + 5 * DAY),
    (known("canceled"), 1, State.ENDED, NEVER),
    (known("paused"), 1, State.PAUSED, NEVER),
    (Known(Snapshot(START, "active")), 1, State.LAPSED, NEVER),
    # a word that the provider has not said yet opens nothing
    (known("splendid"), 1, State.LAPSED, NEVER),
]


@pytest.mark.parametrize(("what", "day", "expected", "until"), TABLE)
def test_state_and_access(what: Known, day: int, expected: State, until: datetime | None) -> None:
    assert state(what, START + day * DAY, GRACE) is expected
    assert open_until(what, GRACE) == until


@pytest.mark.parametrize(("what", "day", "expected", "until"), TABLE)
def test_a_live_state_and_an_open_door_are_the_same(what, day, expected, until) -> None:
    is_open = until is not None and START + day * DAY < until
    assert is_open == (expected in LIVE)


def test_every_state_is_reached_and_ended_asks_for_nothing() -> None:
    assert {expected for _, _, expected, _ in TABLE} == set(State)
    assert set(State) - set(GOING_ON) == {State.ENDED}


moments = st.integers(0, 5).map(lambda day: START + day * DAY)
maybe = st.none() | moments
snapshots = st.builds(
    Snapshot, moments, st.sampled_from(RANK), maybe, maybe, maybe, maybe, st.sampled_from(["", "p1"]), st.just("month")
)
knowns = st.builds(Known, st.none() | snapshots, maybe, maybe)


@given(knowns, knowns, knowns)
def test_news_may_come_in_any_order_and_any_number(a: Known, b: Known, c: Known) -> None:
    assert merge(a, b) == merge(b, a)
    assert merge(merge(a, b), c) == merge(a, merge(b, c))
    assert merge(merge(a, b), b) == merge(a, b)
    assert merge(a, Known()) == a


@given(knowns, snapshots)
def test_no_way_leads_back_from_the_end(later: Known, over: Snapshot) -> None:
    ended = Known(Snapshot(over.at, "canceled", ended_at=over.at))
    merged = merge(ended, later)
    assert merged.snapshot is not None and merged.snapshot.status in OVER


def test_within_a_second_the_further_state_counts() -> None:
    """A subscription is made incomplete, and active in the same second."""
    for one, other in itertools.permutations((known("incomplete"), known("active"))):
        assert merge(one, other) == known("active")


def test_what_the_provider_lacks_is_over() -> None:
    gone = missing(known("active"), START + 3 * DAY)
    assert state(gone, START + 3 * DAY, GRACE) is State.ENDED
    assert open_until(gone, GRACE) == START + 3 * DAY
    assert state(missing(Known(), START), START, GRACE) is State.ENDED
