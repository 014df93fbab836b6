"""Customers, subscriptions and events for staff: to find and to read. The provider's page is where they are changed."""

from __future__ import annotations

from django.contrib import admin

from accounts import audit
from accounts.staff import OnlyRead
from billing.models import Customer, Event, Subscription


@admin.register(Customer)
class CustomerAdmin(audit.Watched, OnlyRead):
    list_display = ["user", "provider_id", "created"]
    search_fields = ["user__email", "provider_id"]
    list_select_related = ["user"]


@admin.register(Subscription)
class SubscriptionAdmin(audit.Watched, OnlyRead):
    person = "customer__user"
    list_display = ["provider_id", "customer", "status", "interval", "period_end", "cancel_at", "ended_at", "failed_at"]
    list_filter = ["status", "interval"]
    search_fields = ["provider_id", "customer__provider_id", "customer__user__email"]
    list_select_related = ["customer__user"]


@admin.register(Event)
class EventAdmin(OnlyRead):
    list_display = ["provider_id", "kind", "about", "created", "received", "did"]
    list_filter = ["kind", "did"]
    search_fields = ["provider_id", "about"]
