"""A clock that someone answers against: when it began is kept on the server, and what is left is computed from it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta


@dataclass(frozen=True)
class Clock:
    """`minutes` from `started`, seen at `now`. Nothing ends when it runs out: it says how far over."""

    started: datetime
    minutes: int
    now: datetime

    @property
    def ends(self) -> datetime:
        return self.started + timedelta(minutes=self.minutes)

    @property
    def seconds(self) -> int:
        """The whole of it in seconds."""
        return 60 * self.minutes

    @property
    def left(self) -> int:
        """Seconds left, below zero when it has run out."""
        return int((self.ends - self.now).total_seconds())

    @property
    def words(self) -> str:
        return f"{spell(self.left)} left" if self.left >= 0 else f"{spell(-self.left)} over"


def spell(seconds: int) -> str:
    """Return a stretch of time as people say it, to the second below ten minutes: "8 min 05 s", "1 h 05 min"."""
    minutes, rest = divmod(max(0, seconds), 60)
    if minutes >= 60:
        return f"{minutes // 60} h {minutes % 60:02d} min"
    if minutes >= 10:
        return f"{minutes} min"
    return f"{minutes} min {rest:02d} s" if minutes else f"{rest} s"
