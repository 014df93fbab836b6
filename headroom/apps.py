"""The project itself as a Django app: it owns no models, only the commands that cross the other apps."""

from django.apps import AppConfig


class HeadroomConfig(AppConfig):
    name = "headroom"

    def ready(self) -> None:
        """Make our Celery app the one that `shared_task` sends through, in every process: web, commands, workers."""
        from django.conf import settings

        import grader
        from headroom import celery  # noqa: F401
        from telemetry import faults, spans, tally

        tally.keep_in(settings.TALLY_URL)
        if settings.OTEL_ENDPOINT:
            spans.start(settings.OTEL_ENDPOINT, grader.VERSION)
        if settings.SENTRY_DSN:
            faults.start(settings.SENTRY_DSN, grader.VERSION, settings.HEADROOM_MODE)
