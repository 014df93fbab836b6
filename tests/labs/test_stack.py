"""The real queue, a real worker, the real judge: a worker killed in the middle of a grading loses nothing."""

import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from tests.support import double
from tests.support.process import alive, tied_to_us, until

pytestmark = pytest.mark.stack
ROOT = Path(__file__).resolve().parents[2]

SLOW_AND_RIGHT = b"import time\n\ndef double(x):\n    time.sleep(4)\n    return x + x\n"


@pytest.fixture
def environment(tmp_path, redis_url, migrated_file):
    shutil.copyfile(migrated_file, tmp_path / "headroom.sqlite3")
    double.write(tmp_path / "catalogue")
    ours = {"HEADROOM_MODE", "DATABASE_URL", "DJANGO_SETTINGS_MODULE", "HEADROOM_TEST_DATABASE"}
    return {
        **{name: value for name, value in os.environ.items() if name not in ours},
        "HEADROOM_MODE": "local",
        "HEADROOM_DATA": str(tmp_path),
        "HEADROOM_CATALOG": str(tmp_path / "catalogue"),
        "REDIS_URL": redis_url,
        "OMP_NUM_THREADS": "1",
        # headroom, and the settings of a site, not those of the tests
        "PYTHONPATH": str(ROOT),
    }


def python(environment, *arguments, **options):
    return subprocess.run(
        [sys.executable, *arguments], env=environment, cwd=ROOT, check=True, capture_output=True, text=True, **options
    )


def kept(environment, log, *celery):
    """Start a Celery process the way the Procfile does."""
    return subprocess.Popen(
        [sys.executable, "-m", "headroom.keep", sys.executable, "-m", "celery", "-A", "headroom", *celery],
        env=environment, cwd=ROOT, stdout=log, stderr=log, **tied_to_us(),
    )  # fmt: skip


def stop(processes):
    for process in processes:
        process.send_signal(signal.SIGTERM)
    for process in processes:
        try:
            process.wait(15)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


SUBMIT = """
import sys, django; django.setup()
from accounts.models import User
from grader import catalog
from labs.models import Mode
from labs.submitting import submit
user = User.objects.create_user("ada@example.org")
print(submit(user, catalog.get("double"), mode=Mode.RUN, source=sys.stdin.buffer.read()).submission.pk)
"""


def test_a_worker_killed_in_mid_grading_ends_in_one_verdict(environment, tmp_path):
    environment["DJANGO_SETTINGS_MODULE"] = "headroom.settings"
    database = tmp_path / "headroom.sqlite3"

    def row(*columns):
        with closing(sqlite3.connect(database, timeout=20)) as connection:
            return connection.execute(f"SELECT {', '.join(columns)} FROM labs_submission").fetchone()

    with open(tmp_path / "log", "w+") as log:
        processes = [
            kept(environment, log, "worker", "-Q", "cpu,short", "-c", "1", "--without-gossip", "--without-mingle"),
            kept(environment, log, "beat", "--pidfile="),
        ]
        try:
            python(environment, "-c", SUBMIT, input=SLOW_AND_RIGHT.decode())
            until(lambda: row("phase") == ("case",), seconds=120)
            worker, attempt = row("worker", "attempt")
            pool = int(worker.rpartition(":")[2])
            parent = int(Path(f"/proc/{pool}/stat").read_text().rpartition(")")[2].split()[1])
            os.kill(parent, signal.SIGKILL)
            until(lambda: not alive(parent) and not alive(pool), seconds=5)
            assert (attempt, row("state")) == (1, ("running",))

            until(lambda: row("state") == ("done",), seconds=120)
            state, attempt, verdict, again = row("state", "attempt", "verdict", "worker")
        finally:
            stop(processes)
            log.seek(0)
            print(log.read())  # noqa: T201  (pytest shows it where the test fails)
    assert (state, attempt, json.loads(verdict)["outcome"]) == ("done", 2, "passed")
    assert again != worker
