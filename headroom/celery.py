"""The Celery app: `celery -A headroom worker -Q cpu,short`.

The queue is a hint; the database is the truth. Queues: `cpu` and `gpu` for gradings, `short` for mail and upkeep.
"""

import os
from typing import Any

from celery import Celery
from celery.signals import worker_process_init

from headroom.keep import die_with_parent

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "headroom.settings")
app = Celery("headroom")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


@worker_process_init.connect
def end_with_the_worker(**_: Any) -> None:
    """Let a pool process, and the sandbox in it, end when its worker is killed and cannot tell it to."""
    die_with_parent()
