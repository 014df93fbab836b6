"""Customers, subscriptions and events for staff: to find and to read. The provider's page is where they are changed."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from accounts import audit
from billing.models import Customer, Event, Subscription


class Read(admin.ModelAdmin):
    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(Customer)
class CustomerAdmin(audit.Watched, Read):
    list_display = ["user", "provider_id", "created"]
    search_fields = ["user__email", "provider_id"]
    list_select_related = ["user"]


@admin.register(Subscription)
class SubscriptionAdmin(audit.Watched, Read):
    person = "customer__user"
    list_display = ["provider_id", "customer", "status", "interval", "period_end", "cancel_at", "ended_at", "failed_at"]
    list_filter = ["status", "interval"]
    search_fields = ["provider_id", "customer__provider_id", "customer__user__email"]
    list_select_related = ["customer__user"]


@admin.register(Event)
class EventAdmin(Read):
    list_display = ["provider_id", "kind", "about", "created", "received", "did"]
    list_filter = ["kind", "did"]
    search_fields = ["provider_id", "about"]
