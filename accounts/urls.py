"""Addresses under /account/ that are ours; django-allauth adds sign-in, sign-up and the rest."""

from django.urls import path

from accounts import views

app_name = "accounts"
urlpatterns = [
    path("profile/", views.profile, name="profile"),
    path("data/", views.data, name="data"),
    path("data/export/", views.export, name="export"),
    path("sessions/<int:number>/end/", views.end_session, name="end_session"),
    path("delete/", views.delete, name="delete"),
]
