"""Addresses of the whole site."""

from django.contrib import admin
from django.urls import include, path

from headroom import views

urlpatterns = [
    path("healthz", views.healthz, name="healthz"),
    path("readyz", views.readyz, name="readyz"),
    path("staff/", admin.site.urls),
    path("account/", views.account, name="account"),
    path("account/", include("accounts.urls")),
    path("account/", include("allauth.account.urls")),
    path("labs/", include("labs.urls")),
    path("practise/", include("practice.urls")),
    path("", include("courses.urls")),
]
handler403 = "headroom.views.forbidden"
handler404 = "headroom.views.not_found"
handler500 = "headroom.views.failed"
