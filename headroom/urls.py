"""Addresses of the whole site."""

from allauth.account.decorators import secure_admin_login
from django.contrib import admin
from django.urls import include, path, re_path

from headroom import card_pages, design, metrics, reporting, views

# Staff sign in as everyone does: with the second factor, the limits and the notices of the one sign-in page.
admin.site.login = secure_admin_login(admin.site.login)  # type: ignore[method-assign]
urlpatterns = [
    path("healthz", views.healthz, name="healthz"),
    path("readyz", views.readyz, name="readyz"),
    path("metrics", metrics.page, name="metrics"),
    path(".well-known/security.txt", reporting.security_txt, name="security_txt"),
    path("cards/home.png", card_pages.card, name="card-home"),
    re_path(
        r"^cards/(?P<kind>lesson|question|lab|calculator)s/(?P<slug>[-a-zA-Z0-9_]+)\.png$", card_pages.card, name="card"
    ),
    path("security/", reporting.page, name="security"),
    path("staff/design/", admin.site.admin_view(design.page), name="design"),
    path("staff/", admin.site.urls),
    path("account/", views.account, name="account"),
    path("account/", include("accounts.urls")),
    path("account/", include("allauth.urls")),
    path("plans/", include("billing.urls")),
    path("labs/", include("labs.urls")),
    path("practise/", include("practice.urls")),
    path("discussion/", include("discussion.urls")),
    path("notes/", include("notes.urls")),
    path("search/", include("search.urls")),
    path("", include("courses.urls")),
]
handler403 = "headroom.views.forbidden"
handler404 = "headroom.views.not_found"
handler500 = "headroom.views.failed"
