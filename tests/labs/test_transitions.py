"""A submission changes state by conditional updates: of two who try, one wins."""

from datetime import timedelta

import pytest
from django.utils import timezone

from labs.models import MAX_ATTEMPTS, Draft, State, Submission, new_public_id
from tests.labs.conftest import claim_at_once, new_submission, passed

pytestmark = pytest.mark.django_db
PASSED = passed().to_json()


def lapse(submission):
    Submission.objects.filter(pk=submission.pk).update(lease_until=timezone.now() - timedelta(seconds=1))


def test_a_claim_takes_a_queued_submission_and_starts_its_lease(queued):
    claimed = Submission.objects.claim(queued.pk, worker="w1")
    assert (claimed.state, claimed.attempt, claimed.worker) == (State.RUNNING, 1, "w1")
    assert timedelta(seconds=10) < claimed.lease_until - timezone.now() < timedelta(seconds=16)
    assert claimed.started is not None


def test_a_second_claim_gets_nothing(queued):
    assert Submission.objects.claim(queued.pk, worker="w1")
    assert Submission.objects.claim(queued.pk, worker="w2") is None


@pytest.mark.django_db(transaction=True)
def test_of_eight_workers_that_claim_at_once_one_wins(owner):
    submission = new_submission(owner)
    (winner,) = claim_at_once(lambda name: Submission.objects.claim(submission.pk, worker=name))
    submission.refresh_from_db()
    assert (submission.worker, submission.attempt) == (winner, 1)


def test_a_late_twin_cannot_overwrite_the_verdict(queued):
    first = Submission.objects.claim(queued.pk, worker="w1")
    lapse(queued)
    assert Submission.objects.take_back(queued.pk, first.attempt)
    second = Submission.objects.claim(queued.pk, worker="w2")
    assert second.attempt == 2
    late = {**PASSED, "outcome": "failed", "score": 0.0}
    assert not Submission.objects.finish(queued.pk, first.attempt, late, grader_version="1")
    assert Submission.objects.finish(queued.pk, second.attempt, PASSED, grader_version="1")
    assert not Submission.objects.finish(queued.pk, first.attempt, late, grader_version="1")
    queued.refresh_from_db()
    assert (queued.state, queued.outcome, queued.score) == (State.DONE, "passed", 1.0)


def test_a_heartbeat_extends_the_lease_and_carries_progress(queued):
    claimed = Submission.objects.claim(queued.pk, worker="w1")
    lapse(queued)
    assert Submission.objects.heartbeat(queued.pk, claimed.attempt, phase="case", done=2, total=8)
    queued.refresh_from_db()
    assert queued.lease_until > timezone.now()
    assert (queued.phase, queued.progress_done, queued.progress_total) == ("case", 2, 8)


def test_a_heartbeat_of_an_earlier_attempt_changes_nothing(queued):
    claimed = Submission.objects.claim(queued.pk, worker="w1")
    Submission.objects.requeue(queued.pk, claimed.attempt)
    assert not Submission.objects.heartbeat(queued.pk, claimed.attempt, phase="case", done=2, total=8)
    Submission.objects.claim(queued.pk, worker="w2")
    assert not Submission.objects.heartbeat(queued.pk, claimed.attempt, phase="case", done=2, total=8)


def test_a_submission_is_not_taken_back_while_its_lease_runs(queued):
    claimed = Submission.objects.claim(queued.pk, worker="w1")
    assert not Submission.objects.lapsed().exists()
    assert not Submission.objects.take_back(queued.pk, claimed.attempt)
    assert not Submission.objects.give_up(queued.pk, claimed.attempt, PASSED, grader_version="1")


@pytest.mark.parametrize("start", ["queued", "running"])
def test_a_cancelled_submission_stays_cancelled(queued, start):
    attempt = 0
    if start == "running":
        attempt = Submission.objects.claim(queued.pk, worker="w1").attempt
    assert Submission.objects.cancel(queued.pk)
    assert not Submission.objects.cancel(queued.pk)
    assert not Submission.objects.finish(queued.pk, attempt, PASSED, grader_version="1")
    assert Submission.objects.claim(queued.pk, worker="w2") is None
    queued.refresh_from_db()
    assert queued.state == State.CANCELLED


def test_a_verdict_cannot_be_cancelled_away(queued):
    claimed = Submission.objects.claim(queued.pk, worker="w1")
    Submission.objects.finish(queued.pk, claimed.attempt, PASSED, grader_version="1")
    assert not Submission.objects.cancel(queued.pk)


def test_attempts_are_few():
    assert MAX_ATTEMPTS == 3


def test_ids_cannot_be_guessed_or_mistaken():
    ids = {new_public_id() for _ in range(1000)}
    assert len(ids) == 1000
    assert all(len(one) == 16 and not set(one) & set("aeiou01l") for one in ids)


def test_a_draft_grows_by_revision(owner):
    first = Draft.objects.save_text(owner, "free-lab", "one", 0)
    second = Draft.objects.save_text(owner, "free-lab", "two", first.revision)
    assert (second.text, second.revision) == ("two", 2)


def test_a_draft_based_on_an_old_revision_is_refused(owner):
    first = Draft.objects.save_text(owner, "free-lab", "one", 0)
    Draft.objects.save_text(owner, "free-lab", "two", first.revision)
    assert Draft.objects.save_text(owner, "free-lab", "other", first.revision) is None
    assert Draft.objects.get().text == "two"


def test_a_first_draft_does_not_overwrite_one_that_came_between(owner):
    Draft.objects.save_text(owner, "free-lab", "one", 0)
    assert Draft.objects.save_text(owner, "free-lab", "other", 0) is None
    assert Draft.objects.save_text(owner, "free-lab", "one", 0).revision == 1  # the same text is no conflict


def test_a_nul_in_a_draft_becomes_visible(owner):
    assert Draft.objects.save_text(owner, "free-lab", "a\x00b", 0).text == "a\ufffdb"
