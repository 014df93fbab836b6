"""/metrics: who may read it, and that what it says is so."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.utils import timezone
from prometheus_client.parser import text_string_to_metric_families

from accounts.models import User
from grader import pool
from labs import grading, measuring, runners, sweeping
from labs.models import State, Submission
from telemetry import tally
from tests.labs.conftest import hints, judge, new_submission, owner, queued  # noqa: F401

pytestmark = pytest.mark.django_db
TOKEN = "a-token-of-twenty-letters"
BEARER = {"Authorization": f"Bearer {TOKEN}"}


@pytest.fixture(autouse=True)
def fresh(settings):
    settings.METRICS_TOKEN = TOKEN
    tally.forget()


class Samples(dict):
    """Samples by their name and the values of their labels, in whatever order."""

    def __getitem__(self, key: tuple[str, ...]) -> float:
        return super().__getitem__((key[0], *sorted(key[1:])))

    def __contains__(self, key: object) -> bool:
        return super().__contains__((key[0], *sorted(key[1:])))  # type: ignore[index]


def read(client: Client) -> Samples:
    """Return what the page says to who has the token."""
    answer = client.get("/metrics", headers=BEARER)
    assert answer.status_code == 200 and answer["Content-Type"].startswith("text/plain")
    families = text_string_to_metric_families(answer.text)
    samples = [each for family in families for each in family.samples]
    return Samples({(each.name, *sorted(each.labels.values())): each.value for each in samples})


class TestWhoMayRead:
    def test_nobody_without_a_token(self, client: Client, member: User) -> None:
        assert client.get("/metrics").status_code == 404
        client.force_login(member)
        assert client.get("/metrics").status_code == 404

    @pytest.mark.parametrize(
        "said", ["Bearer wrong", f"Basic {TOKEN}", TOKEN, "Bearer ", f"Bearer {TOKEN}x", "Bearer \u00e9"]
    )
    def test_a_wrong_token_reads_nothing(self, client: Client, said: str) -> None:
        assert client.get("/metrics", headers={"Authorization": said}).status_code == 404

    def test_without_a_token_of_ours_none_opens(self, client: Client, settings) -> None:
        settings.METRICS_TOKEN = ""
        for said in ("Bearer ", f"Bearer {TOKEN}"):
            assert client.get("/metrics", headers={"Authorization": said}).status_code == 404

    def test_staff_may(self, client: Client, staff: User) -> None:
        client.force_login(staff)
        assert client.get("/metrics").status_code == 200
        staff.is_active = False
        staff.save()
        assert client.get("/metrics").status_code == 404


def test_the_queue_is_what_the_rows_say(client: Client, member: User, stranger: User) -> None:
    now = timezone.now()
    for user, age, fields in (
        (member, 90, {}),
        (stranger, 30, {}),
        (member, 500, {"state": State.RUNNING, "lease_until": now - timedelta(seconds=9)}),
        (member, 9999, {"state": State.DONE}),
        (member, 20, {"device": "cuda"}),
    ):
        row = new_submission(user, **fields)
        Submission.objects.filter(pk=row.pk).update(created=now - timedelta(seconds=age))
    runners.beat("one@host", "cpu")
    found = read(client)
    assert (found["headroom_queue_waiting", "cpu"], found["headroom_queue_waiting", "gpu"]) == (2, 1)
    assert 90 <= found["headroom_queue_oldest_seconds", "cpu"] < 120
    assert 20 <= found["headroom_queue_oldest_seconds", "gpu"] < 50
    assert (found["headroom_queue_running", "cpu"], found["headroom_queue_running", "gpu"]) == (1, 0)
    assert found["headroom_leases_lapsed",] == 1
    assert (found["headroom_workers", "cpu"], found["headroom_workers", "gpu"]) == (1, 0)
    assert found["headroom_workers_of_another_version",] == 0


def test_what_never_happened_is_zero_so_that_its_first_time_is_an_increase(client: Client) -> None:
    found = read(client)
    assert found["headroom_verdicts_total", "ungradable", "submit", "cpu"] == 0
    assert found["headroom_sandboxes_total", "refused"] == found["headroom_taken_back_total",] == 0


def test_an_empty_queue_is_zero_and_not_absent(client: Client) -> None:
    found = read(client)
    for name in ("waiting", "running", "oldest_seconds"):
        assert found[f"headroom_queue_{name}", "cpu"] == found[f"headroom_queue_{name}", "gpu"] == 0


def test_verdicts_and_their_time_are_counted_once(client: Client, queued, judge) -> None:  # noqa: F811
    assert grading.grade(queued.pk) and not grading.grade(queued.pk)
    found = read(client)
    assert found["headroom_verdicts_total", "passed", "submit", "cpu"] == 1
    assert found["headroom_grading_seconds_count", "submit", "cpu"] == 1
    assert found["headroom_grading_seconds_bucket", "submit", "cpu", "+Inf"] == 1
    assert 0 < found["headroom_grading_seconds_sum", "submit", "cpu"] < 10
    assert found["headroom_wait_seconds_count", "cpu"] == 1
    buckets = [value for (name, *_), value in found.items() if name == "headroom_grading_seconds_bucket"]
    assert buckets == sorted(buckets)


def test_what_a_sweep_gave_up_is_counted(client: Client, queued, hints) -> None:  # noqa: F811
    past = timezone.now() - timedelta(minutes=1)
    for _ in range(3):
        Submission.objects.claim(queued.pk, worker="gone")
        Submission.objects.filter(pk=queued.pk).update(lease_until=past)
        sweeping.sweep()
    found = read(client)
    assert found["headroom_verdicts_total", "ungradable", "submit", "cpu"] == 1
    assert (found["headroom_taken_back_total",], found["headroom_sweeps_total",]) == (2, 3)


def test_the_pools_counts_are_told(client: Client, monkeypatch) -> None:
    class Box:
        alive = True

        def cancel(self):
            pass

        def kill(self):
            pass

    def start(mode, limits, device):
        if mode == "refuse":
            raise pool.SandboxError("no sandbox here")
        return Box()

    monkeypatch.setattr(pool.subjects, "start", start)
    monkeypatch.setattr(pool, "counts", pool.Counter())
    monkeypatch.setattr(measuring, "_seen", {})
    ours = pool.Pool("none", pool.Limits(), size=1)
    monkeypatch.setattr(pool, "_pools", {("none", ours.limits, "cpu"): ours})
    for _ in ("fresh", "the one that was filled behind it"):
        with ours.take():
            pass
        ours.settle()
    pool.Pool("refuse", pool.Limits(), size=1).fill()
    for _ in range(2):  # told once
        measuring._look_at_pool()
    found = read(client)
    events = {labels[1]: value for labels, value in found.items() if labels[0] == "headroom_sandboxes_total"}
    assert events == {"fresh": 1, "ready": 1, "filled": 2, "refused": 1}
    assert [value for labels, value in found.items() if labels[0] == "headroom_sandboxes_ready"] == [1]


def test_requests_are_counted_by_view_and_status(client: Client) -> None:
    client.get("/healthz")
    client.get("/healthz")
    client.get("/no/such/page")
    client.get("/no/such/other/page")
    client.generic("BREW", "/healthz")
    found = read(client)
    assert found["headroom_http_requests_total", "healthz", "GET", "200"] == 2
    assert found["headroom_http_requests_total", "none", "GET", "404"] == 2
    assert found["headroom_http_requests_total", "healthz", "other", "200"] == 1
    assert found["headroom_http_request_seconds_count", "healthz"] == 3


def test_what_is_away_is_said_and_the_rest_is_still_there(client: Client, monkeypatch, tmp_path) -> None:
    found = read(client)
    assert (found["headroom_up", "database"], found["headroom_up", "redis"]) == (1, 1)
    tally.keep_in(f"unix://{tmp_path}/none.sock")
    try:
        found = read(client)
    finally:
        tally.keep_in(None)
    assert (found["headroom_up", "database"], found["headroom_up", "redis"]) == (1, 0)
    assert ("headroom_queue_waiting", "cpu") in found

    def away(*args: object) -> None:
        from django.db import OperationalError

        raise OperationalError("the database went away")

    monkeypatch.setattr(connection, "cursor", away)
    found = read(client)
    assert (found["headroom_up", "database"], found["headroom_up", "redis"]) == (0, 1)
    assert ("headroom_http_requests_total", "metrics", "GET", "200") in found
    monkeypatch.undo()
