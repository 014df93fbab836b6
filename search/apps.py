"""Search as a Django app: its index follows the content."""

from django.apps import AppConfig


class SearchConfig(AppConfig):
    name = "search"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Build the index anew whenever the curriculum was loaded, in the same transaction."""
        from courses.signals import synced
        from search import indexing

        synced.connect(indexing.on_sync, dispatch_uid="search")
