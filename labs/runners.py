"""Whether anybody is there to grade on a device: each worker of the queue `gpu` says so while it lives.

The mark is in the cache, which all processes share. A GPU is the exception: a CPU worker is part of every site, and its
queue is never asked about. Where the cache cannot be reached, no runner is known.
"""

from __future__ import annotations

import logging
from typing import Any

from celery.signals import worker_ready
from django.core.cache import cache

from grader.catalog import Lab

log = logging.getLogger(__name__)

GPU_QUEUE = "gpu"

BEAT_S = 15
LASTS_S = 60
"""A worker beats four times before it counts as gone."""

_KEY = "labs:runner:gpu"


def device_for(lab: Lab) -> str:
    """Return the device that submissions to a lab are graded on: the CPU where the lab runs on it."""
    return "cpu" if "cpu" in lab.devices else lab.devices[0]


def queue_for(device: str) -> str:
    return "cpu" if device == "cpu" else GPU_QUEUE


def alive(device: str) -> bool:
    """Say whether a worker for this device has lately shown itself."""
    if device == "cpu":
        return True
    try:
        return bool(cache.get(_KEY))
    except Exception:  # the cache's client raises errors of its own
        log.warning("The cache cannot be reached, so no GPU runner is known.", exc_info=True)
        return False


def beat() -> None:
    """Show that a GPU worker is there."""
    try:
        cache.set(_KEY, True, LASTS_S)
    except Exception:
        log.warning("The cache cannot be reached: the site does not know of this GPU worker.", exc_info=True)


_beats: list[Any] = []


@worker_ready.connect
def keep_beating(sender: Any = None, **_: Any) -> None:
    """Let a worker that takes from the queue `gpu` beat for as long as it runs. `sender` is its consumer.

    Called again after each lost connection to the queue.
    """
    if GPU_QUEUE not in sender.app.amqp.queues.consume_from:
        return
    while _beats:
        sender.timer.cancel(_beats.pop())
    beat()
    _beats.append(sender.timer.call_repeatedly(BEAT_S, beat))
