"""Who is there to grade: each worker of a queue of gradings writes a row while it lives, on the database's clock.

A GPU is the exception that the site asks about: a CPU worker is part of every site.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from celery.signals import worker_ready, worker_shutting_down
from django.db import DatabaseError, InterfaceError, connection

import grader
from grader.catalog import Lab
from labs.models import Worker

log = logging.getLogger(__name__)

GPU_QUEUE = "gpu"
QUEUES = ("cpu", GPU_QUEUE)

BEAT_S = 15


def device_for(lab: Lab) -> str:
    """Return the device that submissions to a lab are graded on: the CPU where the lab runs on it."""
    return "cpu" if "cpu" in lab.devices else lab.devices[0]


def queue_for(device: str) -> str:
    return "cpu" if device == "cpu" else GPU_QUEUE


def alive(device: str) -> bool:
    """Say whether a worker for this device has lately shown itself."""
    if device == "cpu":
        return True
    return any(GPU_QUEUE in worker.queues.split(",") for worker in Worker.objects.alive())


def beat(name: str, queues: str) -> None:
    """Show that a worker is there. A database that is away does not stop it: the next beat tries again."""
    try:
        Worker.objects.beat(name, queues, grader.VERSION)
    except (DatabaseError, InterfaceError):
        log.warning("The database cannot be reached: the site does not know of this worker.", exc_info=True)
        if not connection.in_atomic_block:
            connection.close()


_stop_beating: list[Callable[[], None]] = []


@worker_ready.connect
def keep_beating(sender: Any = None, **_: Any) -> None:
    """Let a worker that takes gradings beat for as long as it runs. `sender` is its consumer.

    Called again after each lost connection to the queue.
    """
    queues = ",".join(queue for queue in QUEUES if queue in sender.app.amqp.queues.consume_from)
    if not queues:
        return
    _silence()
    beat(sender.hostname, queues)
    entry = sender.timer.call_repeatedly(BEAT_S, beat, (sender.hostname, queues))
    _stop_beating.append(lambda: sender.timer.cancel(entry))


@worker_shutting_down.connect
def say_goodbye(sender: Any = None, **_: Any) -> None:
    """Take the row of a worker, whose name `sender` is, away when it is told to stop: it takes nothing more."""
    _silence()
    try:
        Worker.objects.filter(name=sender).delete()
    except (DatabaseError, InterfaceError):
        log.warning("The database cannot be reached: this worker will be shown for a minute more.", exc_info=True)


def _silence() -> None:
    while _stop_beating:
        _stop_beating.pop()()
