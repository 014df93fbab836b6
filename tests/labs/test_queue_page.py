"""Staff see workers, versions, depth and age of the queue; nobody else does."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

import grader
from accounts.models import User
from accounts.staff import FirstPages
from labs import runners
from labs.models import State, Submission, Worker
from tests.labs.conftest import new_submission

pytestmark = pytest.mark.django_db
ADDRESS = "/staff/labs/submission/queue/"


@pytest.fixture
def staff_client(client):
    client.force_login(User.objects.create_superuser("staff@example.org", "correct horse"))
    return client


def test_an_empty_queue_says_so(staff_client):
    page = staff_client.get(ADDRESS).content.decode()
    assert "Nothing waits and nothing runs." in page
    assert "No worker has shown itself" in page


def test_depth_age_and_workers_are_shown(staff_client, owner):
    for _ in range(3):
        new_submission(owner)
    Submission.objects.update(created=timezone.now() - timedelta(minutes=7))
    new_submission(owner, state=State.RUNNING, lease_until=timezone.now() - timedelta(seconds=5))
    runners.beat("celery@one", "cpu")
    runners.beat("celery@two", "gpu")
    Worker.objects.filter(name="celery@two").update(version="0.0.1", seen=timezone.now() - timedelta(minutes=3))
    page = staff_client.get(ADDRESS).content.decode()
    assert "<td>3</td><td>1</td><td>7\xa0minutes</td><td>1</td>" in page
    assert "1 whose worker fell silent" in page
    assert f"<td>{grader.VERSION}</td>" in page
    assert "0.0.1 (not this one)" in page and "<strong>silent</strong>" in page


def test_the_list_of_submissions_leads_there(staff_client, queued):
    assert ADDRESS in staff_client.get("/staff/labs/submission/").content.decode()


@pytest.mark.parametrize("who", ["visitor", "member"])
def test_nobody_else_sees_it(client, owner, who):
    if who == "member":
        client.force_login(owner)
    assert client.get(ADDRESS).status_code == 302


@pytest.mark.postgres
@pytest.mark.parametrize(
    ("rows", "index"),
    [
        (
            Submission.objects.filter(state__in=["queued", "running"]).order_by().values("device"),
            "labs_submission_open",
        ),
        (Submission.objects.filter(state="done", finished__gte=timezone.now()), "labs_submission_done"),
    ],
)
def test_what_the_queue_page_asks_for_has_an_index(db: None, rows: Any, index: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")
    assert index in rows.explain()


def test_a_list_for_staff_counts_so_many_rows_and_no_more(
    staff_client: Client, owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(FirstPages, "MOST", 3)
    for _ in range(5):
        new_submission(owner)
    with CaptureQueriesContext(connection) as queries:
        page = staff_client.get("/staff/labs/submission/").content.decode()
    assert "3 submissions" in page
    counting = [query["sql"] for query in queries if "COUNT(" in query["sql"] and "labs_submission" in query["sql"]]
    assert counting and all("LIMIT 3" in sql for sql in counting)
