"""How much one person may write, counted in the database: what a cache forgets does not open the door."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from accounts.models import User
from discussion.models import Act, Comment

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
NEW_FOR = timedelta(days=2)
NEW_UNTIL = 3
"""Someone is new for two days, and until this many comments of theirs stand."""


class Refused(Exception):
    """It was not written; the sentence says why and what to do. Nothing is lost: the text stays with its writer."""


@dataclass(frozen=True)
class Limit:
    """At most so many acts of a kind in an hour and in a day, and links in one comment."""

    an_hour: int
    a_day: int
    links: int = 10


LIMITS = {
    "write": (Limit(5, 15, links=1), Limit(20, 100)),
    "edit": (Limit(20, 60, links=1), Limit(60, 300)),
    "report": (Limit(5, 10), Limit(20, 40)),
}
"""By kind of act: for those who are new, and for the others."""


def too_often(limit: Limit, acts: list[datetime], now: datetime) -> datetime | None:
    """Return when the next act is possible, where `acts` leave no room now; None where they do."""
    for count, period in ((limit.an_hour, HOUR), (limit.a_day, DAY)):
        within = sorted(at for at in acts if at > now - period)
        if len(within) >= count:
            return within[-count] + period
    return None


def limit_for(user: User, kind: str, now: datetime) -> Limit:
    """Return the limit that a person has for a kind of act."""
    new, usual = LIMITS[kind]
    if user.is_staff:
        return usual
    standing = Comment.objects.filter(author=user, hidden_at=None).order_by()
    is_new = user.date_joined > now - NEW_FOR or standing[:NEW_UNTIL].count() < NEW_UNTIL
    return new if is_new else usual


def record(user: Any, kind: str, now: datetime) -> Limit:
    """Note an act within the caller's transaction, and return the limit it was under. Raises Refused.

    The person's row is locked first, so that acts sent at once are counted one after the other.
    """
    list(User.objects.select_for_update(no_key=True).filter(pk=user.pk).values_list("pk"))
    limit = limit_for(user, kind, now)
    acts = list(Act.objects.filter(user=user, kind=kind, at__gt=now - DAY).values_list("at", flat=True))
    again = too_often(limit, acts, now)
    if again is not None:
        minutes = max(1, round((again - now).total_seconds() / 60))
        wait = f"{minutes} minute{'s' if minutes > 1 else ''}" if minutes < 90 else f"{round(minutes / 60)} hours"
        raise Refused(f"That is a lot in a short time. You can go on in {wait}; your text is still in the field.")
    Act.objects.create(user=user, kind=kind, at=now)
    return limit


def forget(now: datetime) -> int:
    """Remove acts that count no more."""
    return Act.objects.filter(at__lte=now - DAY).delete()[0]
