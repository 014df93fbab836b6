"""The account to try that `make up` prints."""

import pytest
from django.core.management import CommandError, call_command

from accounts.access import Person, Tier, decide
from accounts.models import User
from headroom.management.commands.prepare import EMAIL, Command

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def data_folder(settings, tmp_path):
    settings.DATA_DIR = tmp_path
    return tmp_path


def test_it_signs_in_and_opens_premium(client) -> None:
    from django.utils import timezone

    password = Command().account()
    assert client.post("/account/login/", {"login": EMAIL, "password": password}).url == "/"
    assert decide(Tier.PREMIUM, 0, Person.of(User.objects.get()), timezone.now()).is_open


def test_a_second_start_prints_the_same_and_makes_no_other() -> None:
    assert Command().account() == Command().account()
    assert User.objects.count() == 1


def test_the_kept_password_is_for_its_owner_only(data_folder) -> None:
    Command().account()
    assert (data_folder / "account-to-try").stat().st_mode & 0o777 == 0o600


def test_a_password_that_was_changed_is_not_printed_and_not_changed_back() -> None:
    Command().account()
    user = User.objects.get()
    user.set_password("another passphrase")
    user.save()
    assert Command().account() is None
    user.refresh_from_db()
    assert user.check_password("another passphrase")


def test_two_machines_have_two_passwords(tmp_path, settings) -> None:
    first = Command().account()
    User.objects.all().delete()
    settings.DATA_DIR = tmp_path / "other"
    settings.DATA_DIR.mkdir()
    assert Command().account() != first


def test_production_gets_no_such_account(settings) -> None:
    settings.PRODUCTION = True
    with pytest.raises(CommandError, match="local mode only; run migrate and content sync instead"):
        call_command("prepare")
    assert not User.objects.exists()
