"""What a walk through the site does not come to: plans where premium is sold, and pages of errors. As in test_axe."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser
from django.template.loader import get_template
from django.test import RequestFactory
from django.utils import timezone
from playwright.sync_api import Browser, Page, Route

from billing.models import Customer, Subscription
from tests.face import walk
from tests.face.conftest import NONCE, POLICY
from tests.face.site import FREE, PREMIUM, VISITOR, Site
from tests.support import payments

pytestmark = pytest.mark.long
STATUS = {"500.html": 500, "403.html": 403, "403_csrf.html": 403, "429.html": 429}


@pytest.fixture
def selling(settings: Any, site: Site) -> Iterator[None]:
    """The site with the keys of a provider: premium can be bought."""
    with payments.running() as running:
        settings.PAYMENTS = running.payments()
        yield


def subscribed(site: Site, name: str, **known: Any) -> str:
    """Let someone in who pays for premium, and return their name."""
    now = timezone.now()
    customer = Customer.objects.create(user=site.join(name), provider_id=f"cus_{name}")
    paid = {"period_start": now - timedelta(days=5), "period_end": now + timedelta(days=25), "interval": "month"}
    given = {"as_of": now, "status": "active", "paid_through": now + timedelta(days=25), **paid, **known}
    Subscription.objects.create(customer=customer, provider_id=f"sub_{name}", **given)
    return name


def faults_of(browser: Browser, site: Site, visit: walk.Visit, route: Any = None) -> list[str]:
    context = site.context(browser, visit.person)
    page: Page = context.new_page()
    if route:
        page.route(f"**{visit.path}", route)
    found = walk.look(page, visit, site)
    context.close()
    return found


@pytest.mark.usefixtures("selling")
@pytest.mark.parametrize("person", [VISITOR, FREE, PREMIUM])
def test_plans_with_premium_on_sale_are_without_fault(browser: Browser, site: Site, person: str) -> None:
    assert "Get premium" in site.clients[person].get("/plans/").text or person == PREMIUM
    assert faults_of(browser, site, walk.Visit("/plans/", person)) == []


@pytest.mark.usefixtures("selling")
def test_plans_of_who_pays_are_without_fault(browser: Browser, site: Site) -> None:
    now = timezone.now()
    people = {
        subscribed(site, "payer"): "the next payment is on",
        subscribed(site, "ending", cancel_at=now + timedelta(days=25)): "then it ends",
        subscribed(
            site, "late", status="past_due", failed_at=now, paid_through=now - timedelta(days=1)
        ): "Give another card",
    }
    for name, words in people.items():
        assert words in site.clients[name].get("/plans/").text
        for path in ("/plans/", "/account/"):
            assert faults_of(browser, site, walk.Visit(path, name)) == [], name


@pytest.mark.parametrize("template", STATUS)
def test_a_page_of_an_error_is_without_fault(browser: Browser, site: Site, template: str) -> None:
    request = RequestFactory().get("/labs/some-lab/")
    request.csp_nonce, request.user = NONCE, AnonymousUser()  # type: ignore[attr-defined]
    html = get_template(template).render({}, None if template == "500.html" else request)

    def answer(route: Route) -> None:
        headers = {"Content-Security-Policy": POLICY}
        route.fulfill(status=STATUS[template], body=html, content_type="text/html; charset=utf-8", headers=headers)

    assert faults_of(browser, site, walk.Visit("/labs/some-lab/", status=STATUS[template]), answer) == []
