"""Addresses under /plans/."""

from django.urls import path

from billing import views

app_name = "billing"
urlpatterns = [
    path("", views.index, name="plans"),
    path("checkout/", views.checkout, name="checkout"),
    path("done/", views.done, name="done"),
    path("portal/", views.portal, name="portal"),
    path("webhook/", views.webhook, name="webhook"),
]
