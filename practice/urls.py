"""Addresses of practising."""

from __future__ import annotations

from django.urls import URLPattern

app_name = "practice"
urlpatterns: list[URLPattern] = []
