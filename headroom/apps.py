"""The project itself as a Django app: it owns no models, only the commands that cross the other apps."""

from django.apps import AppConfig


class HeadroomConfig(AppConfig):
    name = "headroom"

    def ready(self) -> None:
        """Make our Celery app the one that `shared_task` sends through, in every process: web, commands, workers."""
        from django.conf import settings

        from headroom import celery  # noqa: F401
        from telemetry import tally

        tally.keep_in(settings.TALLY_URL)
