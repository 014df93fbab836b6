"""People."""

import pytest
from django.contrib.auth import authenticate
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction

from accounts.models import User

pytestmark = pytest.mark.django_db


def test_an_address_is_one_whatever_its_letter_case() -> None:
    User.objects.create_user("Ada@Example.org", "a long passphrase")
    assert authenticate(email="ADA@example.ORG", password="a long passphrase") == User.objects.get()
    with pytest.raises(IntegrityError), transaction.atomic():
        User.objects.create_user("ada@example.org")


def test_someone_without_a_password_cannot_sign_in() -> None:
    assert not User.objects.create_user("ada@example.org").has_usable_password()


def test_a_person_needs_an_address() -> None:
    with pytest.raises(ValueError, match="email"):
        User.objects.create_user("")


@pytest.mark.parametrize("name", ["Mars/Olympus", "../etc/passwd", ""])
def test_an_unknown_time_zone_is_refused(name: str) -> None:
    user = User(email="ada@example.org", password="x", timezone=name)
    with pytest.raises(ValidationError, match="timezone"):
        user.full_clean()
