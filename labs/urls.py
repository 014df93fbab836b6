"""Addresses under /labs/. A lab may not be called `submissions`."""

from django.urls import path, re_path

from labs import changes_views, draft_views, submission_views, views

app_name = "labs"

_ID = r"submissions/(?P<public_id>[0-9a-z]{16})"

urlpatterns = [
    path("", views.index, name="list"),
    re_path(rf"^{_ID}/$", submission_views.page, name="submission"),
    re_path(rf"^{_ID}\.json$", submission_views.as_json, name="submission-json"),
    re_path(rf"^{_ID}/status/$", submission_views.status_fragment, name="submission-status"),
    re_path(rf"^{_ID}/code\.py$", submission_views.code, name="submission-code"),
    re_path(rf"^{_ID}/timeline\.csv$", submission_views.timeline_csv, name="submission-csv"),
    re_path(rf"^{_ID}/timeline\.svg$", submission_views.timeline_svg, name="submission-svg"),
    re_path(rf"^{_ID}/tradeoff\.csv$", submission_views.tradeoff_csv, name="submission-tradeoff-csv"),
    re_path(rf"^{_ID}/tradeoff\.svg$", submission_views.tradeoff_svg, name="submission-tradeoff-svg"),
    re_path(rf"^{_ID}/cancel/$", submission_views.cancel, name="submission-cancel"),
    re_path(rf"^{_ID}/share/$", submission_views.share, name="submission-share"),
    path("<slug:slug>/", views.lab, name="lab"),
    path("<slug:slug>/send/", views.send, name="send"),
    path("<slug:slug>/draft/", draft_views.save, name="draft"),
    path("<slug:slug>/draft/merge/", draft_views.merge, name="draft-merge"),
    path("<slug:slug>/draft/aside/", draft_views.aside, name="draft-aside"),
    path("<slug:slug>/reset/", draft_views.reset, name="reset"),
    path("<slug:slug>/changes/", changes_views.changes, name="changes"),
    path("<slug:slug>/starter.py", views.download, {"name": "starter"}, name="starter"),
    path("<slug:slug>/harness.py", views.download, {"name": "harness"}, name="harness"),
]
