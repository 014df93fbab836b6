"""Discussion as a Django app."""

from django.apps import AppConfig


class DiscussionConfig(AppConfig):
    name = "discussion"
    default_auto_field = "django.db.models.BigAutoField"
