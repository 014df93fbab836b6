"""A payment provider, and the site with keys for it."""

from collections.abc import Iterator

import pytest

from accounts.models import User
from billing.models import Customer
from tests.support import payments
from tests.support.payments import Provider


@pytest.fixture
def provider(settings) -> Iterator[Provider]:
    """A provider that the site's keys are for. It sends its events nowhere until a test names an address."""
    with payments.running() as running:
        settings.PAYMENTS = running.payments()
        yield running


@pytest.fixture
def customer(member: User) -> Customer:
    """The member as the provider knows them: cus_member."""
    return Customer.objects.create(user=member, provider_id="cus_member")
