"""Reports of our faults to Sentry or what speaks its protocol, where a DSN names one; without it nothing is imported.

A report holds the exceptions with the lines they passed, which release, and the ids that the log has. It holds no
request (address, form, cookies, headers), no person, no variable, no log line from before, and every text in it is
scrubbed as a log line is.
"""

from __future__ import annotations

from typing import Any

from telemetry import context, scrub

KEPT = {
    "event_id", "timestamp", "platform", "level", "logger", "logentry", "message", "exception", "transaction", "tags",
    "release", "environment", "sdk", "fingerprint", "type",
}  # fmt: skip


def start(dsn: str, release: str, environment: str) -> None:
    """Report what is logged as an error, and what ends a request or a task, from now on."""
    import sentry_sdk
    from sentry_sdk.integrations.celery import CeleryIntegration
    from sentry_sdk.integrations.django import DjangoIntegration
    from sentry_sdk.integrations.logging import LoggingIntegration

    sentry_sdk.init(
        dsn=dsn,
        release=release,
        environment=environment,
        auto_enabling_integrations=False,
        integrations=[DjangoIntegration(), CeleryIntegration(), LoggingIntegration(level=None)],
        send_default_pii=False,
        include_local_variables=False,
        max_request_body_size="never",
        max_breadcrumbs=0,
        send_client_reports=False,
        auto_session_tracking=False,
        traces_sample_rate=None,
        before_send=scrubbed,
    )


def scrubbed(event: Any, hint: Any) -> Any:
    """Return what may leave the site of an event: what is named in KEPT, without addresses and secrets."""
    kept = {name: value for name, value in event.items() if name in KEPT}
    kept["tags"] = dict(context.current())
    for error in kept.get("exception", {}).get("values", []):
        for frame in error.get("stacktrace", {}).get("frames", []):
            frame.pop("vars", None)
    return scrub.everything(kept)
