"""The Celery app: `celery -A headroom worker -Q cpu,short`.

The queue is a hint; the database is the truth. Queues: `cpu` and `gpu` for gradings, `short` for mail and upkeep.
"""

import os
from typing import Any

from celery import Celery
from celery.signals import setup_logging, worker_process_init
from django.conf import settings
from django.utils.log import configure_logging

from headroom.keep import die_with_parent

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "headroom.settings")
# Read now: nonsense in the environment must end the command, not surface at the first task.
settings.HEADROOM_MODE  # noqa: B018
app = Celery("headroom")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


@setup_logging.connect
def log_as_the_site_does(**_: Any) -> None:
    """Keep Celery from adding handlers of its own; LOG_LEVEL says what is logged, not its option -l."""
    configure_logging(settings.LOGGING_CONFIG, settings.LOGGING)


@worker_process_init.connect
def end_with_the_worker(**_: Any) -> None:
    """Let a pool process, and the sandbox in it, end when its worker is killed and cannot tell it to."""
    die_with_parent(os.getppid())


@worker_process_init.connect
def be_ready_to_grade(**_: Any) -> None:
    """Import torch before the first task asks for it, where this worker serves a queue of gradings."""
    if {"cpu", "gpu"} & set(app.amqp.queues.consume_from):
        from labs import grading

        grading.warm()
