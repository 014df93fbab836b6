"""Addresses under /notes/."""

from django.urls import path, re_path

from notes import views
from pages.places import PATTERN

app_name = "notes"
urlpatterns = [
    path("", views.index, name="list"),
    re_path(rf"^{PATTERN}/$", views.save, name="save"),
    re_path(rf"^{PATTERN}/bookmark/$", views.bookmark, name="bookmark"),
]
