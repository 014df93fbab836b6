"""Addresses under /discussion/."""

from django.urls import path, re_path

from discussion import other_views, views
from pages.places import PATTERN

app_name = "discussion"
urlpatterns = [
    re_path(rf"^{PATTERN}/$", views.page, name="page"),
    path("<int:pk>/", views.thread, name="thread"),
    path("comments/<int:pk>/reply/", views.reply, name="reply"),
    path("comments/<int:pk>/edit/", views.edit, name="edit"),
    path("comments/<int:pk>/delete/", views.delete, name="delete"),
    path("comments/<int:pk>/report/", other_views.report, name="report"),
    path("preferences/", other_views.preferences, name="preferences"),
    path("mail/stop/<str:token>/", other_views.stop, name="stop"),
]
