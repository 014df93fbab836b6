"""Labs that need a GPU: the page says so, nothing waits unasked, and a worker that takes from `gpu` shows itself."""

from datetime import timedelta
from types import SimpleNamespace

import pytest
from django.db import OperationalError
from django.utils import timezone

import grader
from grader import catalog
from labs import runners, status, sweeping
from labs.models import Draft, Mode, State, Submission, Worker
from labs.submitting import NotAccepted, submit
from tests.labs.conftest import new_submission, write_lab

pytestmark = pytest.mark.django_db
CODE = "def checkpoint(): ..."


@pytest.fixture
def gpu_lab(tmp_path, monkeypatch):
    write_lab(tmp_path, "gpu-lab", "free", 1)
    settings = tmp_path / "gpu-lab" / "lab.yaml"
    settings.write_text(settings.read_text().replace("[cpu]", "[cuda]"))
    monkeypatch.setenv("HEADROOM_CATALOG", str(tmp_path))
    return catalog.get("gpu-lab")


def worker_of(*queues):
    """A consumer as the signal hands it over, with a timer that only notes."""
    timer = SimpleNamespace(entries=[])
    timer.call_repeatedly = lambda *entry: timer.entries.append(entry) or entry
    timer.cancel = timer.entries.remove
    consumed = SimpleNamespace(queues=SimpleNamespace(consume_from=dict.fromkeys(queues)))
    return SimpleNamespace(app=SimpleNamespace(amqp=consumed), timer=timer, hostname="celery@one")


def gpu_beat():
    runners.beat("celery@one", "gpu")


def test_without_a_runner_the_page_says_so_and_offers_to_wait(owner_client, gpu_lab):
    page = owner_client.get("/labs/gpu-lab/").content.decode()
    assert "no GPU runner is working for this site now" in page
    assert 'name="wait"' in page


def test_with_a_runner_the_page_says_so_and_offers_no_waiting(owner_client, gpu_lab):
    gpu_beat()
    page = owner_client.get("/labs/gpu-lab/").content.decode()
    assert "A GPU runner is working for this site." in page
    assert 'name="wait"' not in page


def test_a_lab_that_runs_on_a_cpu_says_nothing_of_gpus(owner_client, catalogue):
    assert "GPU" not in owner_client.get("/labs/free-lab/").content.decode()


def test_nothing_waits_that_was_not_asked_to_and_the_code_is_kept(owner, owner_client, gpu_lab, hints):
    response = owner_client.post("/labs/gpu-lab/send/", {"code": CODE, "do": "submit", "key": "1"})
    assert response.status_code == 422
    assert "no GPU runner is working" in response.content.decode()
    assert not Submission.objects.exists()
    assert Draft.objects.get(user=owner).text == CODE


def test_what_is_asked_to_wait_waits_says_so_and_is_not_sent_again(owner, owner_client, gpu_lab, hints):
    response = owner_client.post("/labs/gpu-lab/send/", {"code": CODE, "do": "submit", "key": "1", "wait": "yes"})
    submission = Submission.objects.get()
    assert (submission.state, submission.device) == (State.QUEUED, "cuda")
    assert "Waiting for a GPU runner" in owner_client.get(response["Location"]).content.decode()
    Submission.objects.update(hinted_at=None)
    assert sweeping.sweep() == (0, 0, 0), "messages that nobody takes must not pile up"
    gpu_beat()
    assert sweeping.sweep() == (0, 0, 1)
    assert hints[-1] == (submission.pk, "gpu")


def test_with_a_runner_a_submission_is_taken_in_without_asking(owner, gpu_lab, hints):
    with pytest.raises(NotAccepted, match="GPU runner"):
        submit(owner, gpu_lab, mode=Mode.RUN, source=CODE.encode())
    gpu_beat()
    assert submit(owner, gpu_lab, mode=Mode.RUN, source=CODE.encode()).submission.device == "cuda"


def test_a_worker_of_the_queue_gpu_beats_and_goes_on_once_after_a_lost_connection(gpu_lab):
    worker = worker_of("gpu", "short")
    runners.keep_beating(sender=worker)
    runners.keep_beating(sender=worker)
    assert runners.alive("cuda")
    assert worker.timer.entries == [(runners.BEAT_S, runners.beat, ("celery@one", "gpu"))]
    runners.say_goodbye(sender="celery@one")
    assert worker.timer.entries == []
    assert not runners.alive("cuda"), "a worker that ended in order is gone at once"


def test_a_worker_that_falls_silent_is_gone_after_a_minute(gpu_lab):
    gpu_beat()
    Worker.objects.update(seen=timezone.now() - timedelta(seconds=59))
    assert runners.alive("cuda")
    Worker.objects.update(seen=timezone.now() - timedelta(seconds=61))
    assert not runners.alive("cuda")
    Worker.objects.update(seen=timezone.now() - timedelta(days=2))
    sweeping.sweep()
    assert not Worker.objects.exists()


def test_a_worker_of_the_queue_cpu_shows_itself_and_is_no_gpu(gpu_lab):
    worker = worker_of("cpu", "short")
    runners.keep_beating(sender=worker)
    runners.say_goodbye(sender="celery@other")
    assert not runners.alive("cuda")
    shown = Worker.objects.get()
    assert (shown.name, shown.queues, shown.version) == ("celery@one", "cpu", grader.VERSION)


def test_a_worker_of_mail_alone_grades_nothing_and_shows_nothing(gpu_lab):
    worker = worker_of("short")
    runners.keep_beating(sender=worker)
    assert worker.timer.entries == [] and not Worker.objects.exists()


def test_a_database_that_is_away_stops_no_worker(gpu_lab, monkeypatch):
    def away(*_):
        raise OperationalError("no database here")

    monkeypatch.setattr(Worker.objects, "beat", away)
    gpu_beat()
    assert not runners.alive("cuda")


def test_a_queued_submission_with_a_runner_stands_in_line(owner):
    submission = new_submission(owner, device="cuda")
    assert status.describe(submission, 0, timezone.now()).sentence == "Queued, next in line"
