"""Decide what a person may open: one pure function, asked by every way to content.

Denial is the default: what is not known to be allowed is refused.
"""

from dataclasses import dataclass
from datetime import datetime
from enum import Enum, StrEnum
from typing import TYPE_CHECKING, Literal, Self, Union

if TYPE_CHECKING:
    from django.contrib.auth.models import AnonymousUser

    from accounts.models import User


class Tier(StrEnum):
    """Who a piece of content is for."""

    OPEN = "open"
    FREE = "free"
    PREMIUM = "premium"

    @property
    def label(self) -> str:
        """The tier in words, as its badge shows it."""
        return {Tier.OPEN: "Open", Tier.FREE: "Free account", Tier.PREMIUM: "Premium"}[self]


class Kind(Enum):
    """How much of it they get."""

    OPEN = "open"
    PREVIEW = "preview"
    REFUSED = "refused"


@dataclass(frozen=True)
class Person:
    """What the decision needs to know of someone."""

    signed_in: bool = False
    premium_until: datetime | None = None
    staff: bool = False

    @classmethod
    def of(cls, user: Union["User", "AnonymousUser"]) -> Self:
        """Return the facts about a request's user; costs one query for someone signed in."""
        if not user.is_authenticated or not user.is_active:
            return cls()
        return cls(signed_in=True, premium_until=user.premium_until, staff=user.is_staff)

    def premium_at(self, now: datetime) -> bool:
        """Tell whether premium content is open to them at `now`; the moment of the end itself is outside."""
        return self.signed_in and self.premium_until is not None and now < self.premium_until


@dataclass(frozen=True)
class Decision:
    """What of the content may leave the server, and what would unlock the rest."""

    kind: Kind
    sections: int | None
    """How many sections from the first may be shown; None means all of them."""
    unlock: Literal["account", "premium"] | None = None

    @property
    def is_open(self) -> bool:
        return self.kind is Kind.OPEN


WHOLE = Decision(Kind.OPEN, None)
NOTHING = Decision(Kind.REFUSED, 0)


def decide(tier: str, preview_sections: int, person: Person, now: datetime) -> Decision:
    """Return what `person` may see at `now` (aware) of content of `tier` that shows `preview_sections` to anyone."""
    if tier == Tier.OPEN:
        return WHOLE
    if tier == Tier.FREE:
        return WHOLE if person.signed_in else _preview(preview_sections, "account")
    if tier == Tier.PREMIUM:
        allowed = person.premium_at(now) or (person.signed_in and person.staff)
        return WHOLE if allowed else _preview(preview_sections, "premium")
    return NOTHING


def _preview(sections: int, unlock: Literal["account", "premium"]) -> Decision:
    return Decision(Kind.PREVIEW, max(0, sections), unlock)
