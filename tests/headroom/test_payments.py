"""The payment provider's keys from the environment."""

from datetime import timedelta

import pytest

from headroom import payments
from headroom.env import BadEnvironment, Env

ALL = {
    "STRIPE_SECRET_KEY": "sk_live_1",
    "STRIPE_WEBHOOK_SECRET": "whsec_1",
    "STRIPE_PRICE_MONTHLY": "price_m",
    "STRIPE_PRICE_YEARLY": "price_y",
}


def test_without_keys_billing_is_off() -> None:
    assert payments.read(Env({})) is None


def test_all_of_them() -> None:
    found = payments.read(Env(ALL | {"STRIPE_TRIAL_DAYS": "14", "STRIPE_AUTOMATIC_TAX": "no"}))
    assert found and (found.live, found.trial_days, found.automatic_tax) == (True, 14, False)
    assert found.prices == {"month": "price_m", "year": "price_y"}
    assert found.hosts == payments.CHECKOUT_HOSTS


@pytest.mark.parametrize("name", ALL)
def test_one_missing_is_refused_without_repeating_a_secret(name: str) -> None:
    with pytest.raises(BadEnvironment) as refused:
        payments.read(Env({key: value for key, value in ALL.items() if key != name}))
    assert "whsec" not in str(refused.value) and "sk_live" not in str(refused.value)


def test_the_grace_is_seven_days_unless_it_is_said() -> None:
    assert payments.grace(Env({})) == timedelta(days=7)
    assert payments.grace(Env({"PAYMENT_GRACE_DAYS": "0"})) == timedelta(0)
    with pytest.raises(BadEnvironment, match="PAYMENT_GRACE_DAYS"):
        payments.grace(Env({"PAYMENT_GRACE_DAYS": "61"}))
