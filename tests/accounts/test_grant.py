"""`manage.py grant`: premium by hand."""

from datetime import UTC, datetime

import pytest
from django.core.management import CommandError, call_command

from accounts.access import Person, Tier, decide

pytestmark = pytest.mark.django_db


def test_opens_premium_through_the_last_day_named(member) -> None:
    call_command("grant", "Member@Example.org", "--until", "2999-01-31", "--reason", "a prize")
    person = Person.of(member)
    assert decide(Tier.PREMIUM, 0, person, datetime(2999, 1, 31, 23, 59, 59, tzinfo=UTC)).is_open
    assert not decide(Tier.PREMIUM, 0, person, datetime(2999, 2, 1, tzinfo=UTC)).is_open
    assert member.grants.get().reason == "a prize"


@pytest.mark.parametrize(
    ("email", "until", "sentence"),
    [
        ("nobody@example.org", "2999-01-31", "nobody has an account with nobody@example.org; they sign up first"),
        ("member@example.org", "31.1.2999", '--until is "31.1.2999"; expected a day such as 2027-01-31'),
        ("member@example.org", "2999-02-30", '--until is "2999-02-30"; expected a day'),
        ("member@example.org", "9999-12-31", '--until is "9999-12-31"; expected a day'),
        ("member@example.org", "2020-01-31", "--until is 2020-01-31, which is over already"),
    ],
)
def test_refuses(member, email: str, until: str, sentence: str) -> None:
    with pytest.raises(CommandError, match=sentence.replace(".", r"\.")):
        call_command("grant", email, "--until", until)
    assert not member.grants.exists()
