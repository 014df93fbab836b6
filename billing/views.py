"""The plans, the way to pay and back, the way to manage, and where the provider tells us things."""

from __future__ import annotations

import logging
from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render, resolve_url
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_GET, require_POST

from accounts.access import Person
from accounts.models import User
from billing import gateway, plans, reading, receiving, subscribing
from billing.models import Customer

log = logging.getLogger(__name__)


@require_GET
@never_cache
def index(request: HttpRequest) -> HttpResponse:
    """Show what is free, what premium opens and costs, and where this person stands."""
    if request.GET.get("back"):
        messages.info(request, "You turned back before paying. Nothing was charged, and nothing has changed.")
    return _page(request)


def _page(request: HttpRequest, problem: str = "", status: int = 200) -> HttpResponse:
    person, now = Person.of(request.user), timezone.now()
    context: dict[str, Any] = {
        "offers": plans.offers(),
        "person": person,
        "premium": person.premium_at(now),
        "problem": problem,
        "billing": settings.PAYMENTS is not None,
        "trial_days": settings.PAYMENTS.trial_days if settings.PAYMENTS else 0,
        "chosen": request.POST.get("interval") or request.GET.get("interval") or "year",
        "subscription": subscribing.standing(request.user, now),
    }
    return render(request, "billing/plans.html", context, status=status)


@require_POST
@never_cache
def checkout(request: HttpRequest) -> HttpResponse:
    """Send someone to the provider's page to pay; whoever is signed out signs in first and finds their choice again."""
    interval = request.POST.get("interval", "")
    back = f"{reverse('billing:plans')}?{urlencode({'interval': interval})}"
    if not isinstance(request.user, User):
        messages.info(request, "You are signed out. Sign in to go on: your choice is kept.")
        return redirect(f"{resolve_url('account_login')}?{urlencode({'next': back})}")
    done = request.build_absolute_uri(reverse("billing:done"))
    try:
        address = subscribing.start(
            request.user,
            interval,
            # The provider fills in the braces.
            success_url=f"{done}?session={{CHECKOUT_SESSION_ID}}",
            cancel_url=request.build_absolute_uri(f"{back}&back=1"),
        )
    except subscribing.NotNow as why:
        return _page(request, str(why), status=409)
    except gateway.ProviderError as why:
        return _page(request, str(why), status=502 if isinstance(why, gateway.Unreachable) else 409)
    return _onward(address)


def _onward(address: str) -> HttpResponse:
    return HttpResponseRedirect(address, status=303)


@login_required
@require_GET
@never_cache
def done(request: HttpRequest) -> HttpResponse:
    """Come back from paying: ask the provider what became of it, and say so."""
    assert isinstance(request.user, User)
    problem = ""
    try:
        subscribing.come_back(request.user, request.GET.get("session", ""))
    except (gateway.ProviderError, reading.Unreadable) as why:
        log.warning("coming back from checkout: %s", why)
        problem = "The payment provider does not tell us yet how it went. This page asks again when you reload it."
    context = {"subscription": subscribing.standing(request.user, timezone.now()), "problem": problem}
    return render(request, "billing/done.html", context)


@login_required
@require_POST
@never_cache
def portal(request: HttpRequest) -> HttpResponse:
    """Send someone to the provider's page for invoices, the card, and ending the subscription."""
    customer = Customer.objects.filter(user=request.user.pk).first()
    if customer is None:
        return _page(request, "There is no subscription to manage yet.", status=409)
    try:
        return _onward(gateway.portal(customer.provider_id, request.build_absolute_uri(reverse("account"))))
    except gateway.ProviderError as why:
        return _page(request, str(why), status=502 if isinstance(why, gateway.Unreachable) else 409)


@csrf_exempt
@require_POST
def webhook(request: HttpRequest) -> HttpResponse:
    """Take in one event. 2xx tells the provider not to send it again; 4xx and 5xx that it should, later."""
    try:
        keys = gateway.keys()
        gateway.check_signature(request.body, request.headers.get("Stripe-Signature", ""))
        did = receiving.take_in(receiving.parse(request.body), live=keys.live)
    except gateway.Off:
        return _said("billing is off here", 404)
    except gateway.Forged:
        return _said("the signature is missing, wrong or too old: nothing was done", 400)
    except reading.Unreadable as why:
        log.error("an event of the payment provider could not be read: %s", why)
        return _said("this event cannot be read", 422)
    return _said(did, 200)


def _said(what: str, status: int) -> HttpResponse:
    return HttpResponse(f"{what}\n", content_type="text/plain", status=status)
