"""A subscription's state, as pure functions: what is known of it, how news are added, and what it opens.

News arrive late, twice, and in any order. So nothing is applied as a step: what is known is the maximum of all news by
a fixed order, and a maximum does not care in which order its arguments come, or how often.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum

RANK = ("incomplete", "paused", "trialing", "active", "past_due", "unpaid", "incomplete_expired", "canceled")
"""The provider's words for where a subscription stands, in the order in which one can follow the other within a second.

The provider dates its news to the second, so two of them may have the same date.
"""

OVER = ("canceled", "incomplete_expired")
"""From these no way leads back."""


@dataclass(frozen=True)
class Snapshot:
    """A subscription as the provider described it at the moment `at`."""

    at: datetime
    status: str
    period_start: datetime | None = None
    period_end: datetime | None = None
    cancel_at: datetime | None = None
    """When it ends, where its end is settled already."""
    ended_at: datetime | None = None
    price: str = ""
    interval: str = ""
    """`month` or `year`."""


@dataclass(frozen=True)
class Known:
    """All that the news so far said."""

    snapshot: Snapshot | None = None
    paid_through: datetime | None = None
    """The end of the latest period that a payment went through for."""
    failed_at: datetime | None = None
    """The last time that one did not."""


class State(StrEnum):
    """Where a subscription stands for the person who pays it."""

    STARTING = "starting"
    TRIAL = "trial"
    ACTIVE = "active"
    ENDING = "ending"
    """Paid, and it will not be renewed."""
    GRACE = "grace"
    """A payment failed; everything stays open for a while."""
    PAUSED = "paused"
    LAPSED = "lapsed"
    """Not paid, and the grace is over."""
    ENDED = "ended"


LIVE = (State.TRIAL, State.ACTIVE, State.ENDING, State.GRACE)
"""Those that open premium."""

GOING_ON = (*LIVE, State.STARTING, State.PAUSED, State.LAPSED)
"""Those in which the provider may still ask for money."""


def merge(known: Known, news: Known) -> Known:
    """Return what is known after `news`. Commutative, associative, and a second time it changes nothing."""
    return Known(
        snapshot=max((s for s in (known.snapshot, news.snapshot) if s), key=_order, default=None),
        paid_through=_later(known.paid_through, news.paid_through),
        failed_at=_later(known.failed_at, news.failed_at),
    )


def _order(snapshot: Snapshot) -> tuple[object, ...]:
    """Order snapshots: what is over stays over, then the later one, then what can follow within the same second."""
    start = snapshot.period_start
    rank = RANK.index(snapshot.status) if snapshot.status in RANK else -1
    return (
        snapshot.status in OVER,
        snapshot.at,
        start is not None,
        start or snapshot.at,
        rank,
        # The rest only makes the order total: of two different snapshots one is always the larger.
        *(str(value) for value in (snapshot.period_end, snapshot.cancel_at, snapshot.ended_at)),
        snapshot.price,
        snapshot.interval,
        snapshot.status,
    )


def _later(one: datetime | None, other: datetime | None) -> datetime | None:
    return max((each for each in (one, other) if each), default=None)


def open_until(known: Known, grace: timedelta) -> datetime | None:
    """Return until when premium is open (the moment itself is outside), None where it never was.

    A renewal that nobody has heard of yet, and one that failed, both leave it open for `grace` after the paid time.
    """
    now = known.snapshot
    if now is None:
        return None
    if now.status in ("trialing", "active"):
        end = now.period_end + grace if now.period_end else None
    elif now.status in ("past_due", "unpaid"):
        # The period that is not paid for has begun: its start is where the paid time ended, unless the one before it
        # was not paid for either.
        starts = [each for each in (now.period_start, known.paid_through) if each]
        end = min(starts) + grace if starts else None
    elif now.status == "canceled" and now.ended_at and now.period_start:
        end = now.ended_at
    else:
        return None
    limits = [each for each in (end, now.cancel_at, now.ended_at) if each]
    return min(limits) if end else None


def state(known: Known, now: datetime, grace: timedelta) -> State:
    """Return where the subscription stands at `now`. What nobody thought of opens nothing."""
    found = known.snapshot
    if found is None or found.status == "incomplete":
        return State.STARTING
    if found.status in OVER:
        return State.ENDED
    if found.status == "paused":
        return State.PAUSED
    until = open_until(known, grace)
    if until is None or now >= until:
        ended = found.cancel_at is not None and now >= found.cancel_at
        return State.ENDED if ended else State.LAPSED
    if found.status in ("past_due", "unpaid"):
        return State.GRACE
    if found.cancel_at:
        return State.ENDING
    return State.TRIAL if found.status == "trialing" else State.ACTIVE


def missing(known: Known, at: datetime) -> Known:
    """Return what is known once the provider says, at `at`, that it has no such subscription."""
    before = known.snapshot or Snapshot(at, "canceled")
    return merge(known, Known(replace(before, at=at, status="canceled", ended_at=before.ended_at or at)))
