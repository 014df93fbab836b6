"""Log lines: JSON in production, readable locally, and in both with what the work is about (`telemetry.context`).

A line says no secret, no code that a learner sent and no address of a person. Fields beside the message come from a
list (`FIELDS`); whatever else a library hangs on a record (a request with its query, a task's arguments) is left out.
The route stands for the path, which can hold the key of a mailed link.
"""

from __future__ import annotations

import logging
from datetime import UTC, datetime
from typing import Any

from pythonjsonlogger.json import JsonFormatter

from telemetry import context, scrub

FIELDS = (
    "request_id", "submission", "attempt", "lab", "mode", "device", "queue", "outcome", "seconds", "sandbox",
    "worker", "task", "method", "view", "status",
)  # fmt: skip
"""What a line may say beside its message."""

_ABOUT_REQUESTS = ("django.request", "django.security")


class Fields(logging.Filter):
    """Hangs on a record what the work is about, and the route in place of a path."""

    def filter(self, record: logging.LogRecord) -> bool:
        for name, value in context.current().items():
            if not hasattr(record, name):
                setattr(record, name, value)
        request = getattr(record, "request", None)
        if not hasattr(record, "request_id") and (request_id := getattr(request, "request_id", None)):
            record.request_id = request_id  # Django says of some answers how they went when ours is over
        if request is not None and record.name.startswith(_ABOUT_REQUESTS) and isinstance(record.args, tuple):
            path = getattr(request, "path", None)
            record.args = tuple(route(request) if each == path else each for each in record.args)
        return True


def route(request: Any) -> str:
    """Return the pattern that a request's path matched; "-" where it matched none."""
    match = getattr(request, "resolver_match", None)
    return f"/{match.route}" if match is not None else "-"


def _said(record: logging.LogRecord) -> dict[str, Any]:
    return {name: value for name in FIELDS if (value := getattr(record, name, None)) not in (None, "")}


class Json(JsonFormatter):
    """One object a line: time (UTC), level, logger, message, process, the fields, and a traceback."""

    def __init__(self) -> None:
        super().__init__()

    def add_fields(self, log_data: dict[str, Any], record: logging.LogRecord, message_dict: dict[str, Any]) -> None:
        at = datetime.fromtimestamp(record.created, UTC)
        log_data["time"] = at.isoformat(timespec="milliseconds").replace("+00:00", "Z")
        log_data |= {"level": record.levelname, "logger": record.name, "message": record.message}
        log_data["process"] = record.process
        log_data |= _said(record)
        log_data |= {"traceback": message_dict["exc_info"]} if message_dict.get("exc_info") else {}

    def process_log_record(self, log_data: dict[str, Any]) -> dict[str, Any]:
        scrubbed: dict[str, Any] = scrub.everything(log_data)
        return scrubbed


class Readable(logging.Formatter):
    """A line for people, with the fields behind the message."""

    def __init__(self) -> None:
        super().__init__("{asctime} {levelname} {name}: {message}", style="{")

    def formatMessage(self, record: logging.LogRecord) -> str:
        said = {name: str(value) for name, value in _said(record).items()}
        fields = " ".join(f"{name}={value}" for name, value in said.items() if value not in record.message)
        return super().formatMessage(record) + (f"  [{fields}]" if fields else "")

    def format(self, record: logging.LogRecord) -> str:
        return scrub.text(super().format(record))


def config(level: str, *, json: bool) -> dict[str, Any]:
    """Return the settings of Python's logging for every process of the site."""
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "filters": {"fields": {"()": Fields}},
        "formatters": {"line": {"()": Json if json else Readable}},
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line", "filters": ["fields"]}},
        "root": {"handlers": ["stderr"], "level": level},
        "loggers": {
            "django": {"handlers": [], "level": "INFO", "propagate": True},
            # Each request has a line of ours; here a 404 would have a second one.
            "django.request": {"level": "ERROR"},
            "celery": {"level": "WARNING"},
            "gunicorn.error": {"handlers": [], "propagate": True},
            "stripe": {"level": "WARNING"},
        },
    }
