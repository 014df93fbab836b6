"""Access as a table: every tier against every kind of person."""

from datetime import UTC, datetime, timedelta

import pytest

from accounts.access import NOTHING, WHOLE, Decision, Kind, Person, Tier, decide

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
VISITOR = Person()
MEMBER = Person(signed_in=True)
PREMIUM = Person(signed_in=True, premium_until=NOW + timedelta(seconds=1))
LAPSED = Person(signed_in=True, premium_until=NOW - timedelta(days=1))
ENDING_NOW = Person(signed_in=True, premium_until=NOW)
STAFF = Person(signed_in=True, staff=True)
FIRST_TWO_THEN_ACCOUNT = Decision(Kind.PREVIEW, 2, "account")
FIRST_TWO_THEN_PREMIUM = Decision(Kind.PREVIEW, 2, "premium")


@pytest.mark.parametrize(
    ("tier", "person", "expected"),
    [
        ("open", VISITOR, WHOLE),
        ("open", MEMBER, WHOLE),
        ("open", PREMIUM, WHOLE),
        ("open", LAPSED, WHOLE),
        ("open", STAFF, WHOLE),
        ("free", VISITOR, FIRST_TWO_THEN_ACCOUNT),
        ("free", MEMBER, WHOLE),
        ("free", PREMIUM, WHOLE),
        ("free", LAPSED, WHOLE),
        ("free", STAFF, WHOLE),
        ("premium", VISITOR, FIRST_TWO_THEN_PREMIUM),
        ("premium", MEMBER, FIRST_TWO_THEN_PREMIUM),
        ("premium", PREMIUM, WHOLE),
        ("premium", LAPSED, FIRST_TWO_THEN_PREMIUM),
        ("premium", ENDING_NOW, FIRST_TWO_THEN_PREMIUM),
        ("premium", STAFF, WHOLE),
        # A grant or a staff flag counts only for someone who is signed in.
        ("premium", Person(premium_until=NOW + timedelta(days=1)), FIRST_TWO_THEN_PREMIUM),
        ("premium", Person(staff=True), FIRST_TWO_THEN_PREMIUM),
        # What nobody thought of is refused, to staff too.
        ("gold", STAFF, NOTHING),
        ("Open", PREMIUM, NOTHING),
        ("", PREMIUM, NOTHING),
    ],
)
def test_decision(tier: str, person: Person, expected: Decision) -> None:
    assert decide(tier, 2, person, NOW) == expected


@pytest.mark.parametrize(("sections", "shown"), [(3, 3), (0, 0), (-1, 0)])
def test_a_preview_never_shows_more_than_it_was_given(sections: int, shown: int) -> None:
    assert decide(Tier.PREMIUM, sections, VISITOR, NOW).sections == shown


def test_only_the_whole_is_open() -> None:
    assert WHOLE.is_open
    assert not FIRST_TWO_THEN_ACCOUNT.is_open
    assert not NOTHING.is_open


def test_tiers_are_named_in_words() -> None:
    assert [tier.label for tier in Tier] == ["Open", "Free account", "Premium"]


@pytest.mark.django_db
class TestPersonOf:
    def test_visitor(self, rf) -> None:
        from django.contrib.auth.models import AnonymousUser

        assert Person.of(AnonymousUser()) == VISITOR

    def test_member_without_a_grant(self, member) -> None:
        assert Person.of(member) == MEMBER

    def test_the_last_of_several_grants_counts(self, member) -> None:
        for days in (1, 30, 7):
            member.grants.create(until=NOW + timedelta(days=days), reason="test")
        assert Person.of(member).premium_until == NOW + timedelta(days=30)

    def test_an_account_that_was_closed_is_a_visitor(self, staff) -> None:
        staff.is_active = False
        assert Person.of(staff) == VISITOR
