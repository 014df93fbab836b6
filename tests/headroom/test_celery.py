"""The worker: killed whole, it takes its pool and what that started along."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.process import alive, tied_to_us, until

ROOT = Path(__file__).resolve().parents[2]


def test_what_the_queue_promises() -> None:
    from headroom.celery import app

    assert app.conf.accept_content == ["json"]
    assert app.conf.task_acks_late is False
    assert app.conf.worker_prefetch_multiplier == 1
    assert app.conf.task_default_queue == "short"
    app.loader.import_default_modules()
    assert {entry["task"] for entry in app.conf.beat_schedule.values()} <= set(app.tasks)


@pytest.mark.stack
def test_a_killed_worker_takes_its_pool_along(redis_url: str, tmp_path: Path) -> None:
    environment = {**os.environ, "REDIS_URL": redis_url, "DATABASE_URL": f"sqlite:///{tmp_path}/a.db"}
    celery = [sys.executable, "-m", "celery", "-A", "headroom"]

    def answers() -> bool:
        ping = [*celery, "inspect", "ping", "--timeout", "1"]
        return subprocess.run(ping, cwd=ROOT, env=environment, capture_output=True).returncode == 0

    command = [*celery, "worker", "-Q", "cpu,short", "-c", "1", "-l", "ERROR"]
    worker = subprocess.Popen(command, cwd=ROOT, env=environment, **tied_to_us())
    try:
        until(answers, 60)
        pool = children_of(worker.pid)
        assert len(pool) == 1
    finally:
        worker.kill()
        worker.wait()
    until(lambda: not any(alive(pid) for pid in pool), 3)


def children_of(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def test_only_a_worker_that_grades_loads_torch_before_its_first_task(monkeypatch):
    from headroom import celery
    from labs import grading

    warmed = []
    monkeypatch.setattr(grading, "warm", lambda: warmed.append(1))
    for queues, times in (({"short": None}, 0), ({"cpu": None, "short": None}, 1), ({"gpu": None}, 2)):
        monkeypatch.setattr(celery.app.amqp.queues, "_consume_from", queues)
        celery.be_ready_to_grade()
        assert len(warmed) == times
