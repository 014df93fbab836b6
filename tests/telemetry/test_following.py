"""One submission, followed by its id from the web request through queue, worker, judge and sandbox."""

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from telemetry import tally
from tests.support import double
from tests.support.process import tied_to_us, until
from tests.telemetry.test_leaving import listening, spans_in

pytestmark = [pytest.mark.stack, pytest.mark.long]
ROOT = Path(__file__).resolve().parents[2]
REQUEST_ID = "00112233445566778899aabbccddeeff"
CODE = (
    "SECRET_OF_THE_LEARNER = 'ada@example.org'\n\ndef double(x):\n    print(SECRET_OF_THE_LEARNER)\n    return x + x\n"
)
SEND = """
import sys, django; django.setup()
from django.test import Client
from accounts.models import User
from labs.models import Submission
client = Client()
client.force_login(User.objects.create_user("ada@example.org"))
answer = client.post("/labs/double/send/", {"code": sys.stdin.read(), "do": "submit"}, HTTP_HOST="localhost",
    headers={"X-Request-ID": sys.argv[1]})
assert answer.status_code == 302, answer.content
print(Submission.objects.get().public_id)
"""


def counted(redis_url):
    """Return what the workers told in Redis, by its labels."""
    tally.keep_in(redis_url)
    try:
        sums, gauges = tally.read()
    finally:
        tally.keep_in(None)
    ours = {"headroom_verdicts_total", "headroom_sandboxes_total"}
    names = {" ".join(labels) for name, _, *labels in map(json.loads, sums) if name in ours}
    ready = any(value and "headroom_sandboxes_ready" in key for key, value in gauges.items())
    return names | ({"a sandbox is ready"} if ready else set())


@pytest.fixture
def collected():
    """The address of a collector of spans, and what was sent there."""
    with listening() as collector_and_sent:
        yield collector_and_sent


def test_a_submission_is_followed_through_every_process(tmp_path, redis_url, collected, migrated_file):
    collector, sent = collected
    double.write(tmp_path / "catalogue")
    ours = {"HEADROOM_MODE", "DATABASE_URL", "DJANGO_SETTINGS_MODULE", "HEADROOM_TEST_DATABASE"}
    environment = {
        **{name: value for name, value in os.environ.items() if name not in ours},
        "HEADROOM_MODE": "local",
        "HEADROOM_DATA": str(tmp_path),
        "HEADROOM_CATALOG": str(tmp_path / "catalogue"),
        "REDIS_URL": redis_url,
        "LOG_FORMAT": "json",
        "TRUSTED_PROXIES": "1",
        "OTEL_EXPORTER_OTLP_ENDPOINT": f"http://{collector}",
        "OTEL_BSP_SCHEDULE_DELAY": "200",
        "OMP_NUM_THREADS": "1",
        "PYTHONPATH": str(ROOT),
        "DJANGO_SETTINGS_MODULE": "headroom.settings",
    }
    log = open(tmp_path / "log", "w+")  # noqa: SIM115  (open while the processes write to it)

    def python(*arguments, **options):
        return subprocess.run(
            [sys.executable, *arguments], env=environment, cwd=ROOT, check=True, text=True, stdout=subprocess.PIPE,
            stderr=log, **options,
        ).stdout.strip()  # fmt: skip

    def outcome():
        with closing(sqlite3.connect(tmp_path / "headroom.sqlite3", timeout=20)) as connection:
            return connection.execute("SELECT outcome FROM labs_submission").fetchone()[0]

    shutil.copyfile(migrated_file, tmp_path / "headroom.sqlite3")
    worker = subprocess.Popen(
        [sys.executable, "-m", "celery", "-A", "headroom", "worker", "-Q", "cpu,short", "-c", "1", "-l", "WARNING"],
        env=environment, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=log, **tied_to_us(),
    )  # fmt: skip
    try:
        submission = python("-c", SEND, REQUEST_ID, input=CODE)
        until(lambda: outcome() == "passed", 60)
        span = until(lambda: next((each for each in spans_in(sent) if each.name == "grading"), None))
        until(lambda: counted(redis_url) >= {"passed submit cpu", "ready", "filled", "a sandbox is ready"})
    finally:
        worker.terminate()
        worker.wait(30)
    assert span.trace_id.hex() == REQUEST_ID
    assert {"outcome", "attempt", "lab", "submission", "request_id"} <= {each.key for each in span.attributes}
    written = (tmp_path / "log").read_text()
    lines = [json.loads(line) for line in written.splitlines() if line.startswith("{")]
    followed = [line for line in lines if line.get("submission") == submission]
    assert {line["logger"] for line in followed} >= {
        "labs.submitting",
        "labs.grading",
        "grader.judge",
        "grader.sandbox.process",
    }
    assert {line["request_id"] for line in followed} == {REQUEST_ID}
    assert any(line["logger"] == "headroom.request" and line["request_id"] == REQUEST_ID for line in lines)
    (verdict,) = [line for line in followed if line["message"] == "A verdict is written."]
    assert (verdict["outcome"], verdict["attempt"], verdict["lab"]) == ("passed", 1, "double")
    assert len({line["process"] for line in followed}) == 2
    judged = {line["sandbox"] for line in followed if line["logger"] == "grader.judge"}
    ended = {line["sandbox"] for line in followed if line["message"].startswith("A sandbox has ended")}
    assert judged == ended and len(judged) == 1
    assert "SECRET_OF_THE_LEARNER" not in written and "ada@" not in written
