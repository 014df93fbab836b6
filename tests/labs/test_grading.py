"""Grading in a worker: claimed once, kept alive, written once, and our faults stay ours."""

import time

import pytest
from django.db import OperationalError

import grader
from labs import grading, runners, sweeping
from labs.models import MAX_ATTEMPTS, State, Submission
from tests.labs.conftest import new_submission, passed, ungradable

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_verdict_is_written_with_the_graders_version(queued, judge):
    assert grading.grade(queued.pk)
    queued.refresh_from_db()
    assert (queued.state, queued.outcome, queued.grader_version) == (State.DONE, "passed", grader.VERSION)
    assert queued.verdict["outcome"] == "passed"
    assert queued.finished >= queued.started


def test_the_judge_gets_the_bytes_the_mode_and_the_device(owner, judge):
    submission = new_submission(owner, source=b"\xff\x00", mode="run")
    grading.grade(submission.pk)
    ((slug, source, options),) = judge.calls
    assert (slug, source, options["mode"], options["device"]) == ("free-lab", b"\xff\x00", "run", "cpu")


@pytest.mark.parametrize(("mode", "sandbox"), [("local", "auto"), ("production", "bwrap")])
def test_only_local_mode_may_do_without_bubblewrap(queued, judge, settings, mode, sandbox):
    settings.HEADROOM_MODE = mode
    grading.grade(queued.pk)
    assert judge.calls[0][2]["sandbox"] == sandbox


def test_a_second_message_for_the_same_submission_grades_nothing(queued, judge):
    grading.grade(queued.pk)
    assert not grading.grade(queued.pk)
    assert len(judge.calls) == 1


def test_a_worker_that_cannot_grade_takes_nothing(queued, judge):
    def ready(sandbox):
        raise RuntimeError("bubblewrap is not installed")

    judge.ready = ready
    with pytest.raises(grading.CannotGrade, match="bubblewrap is not installed"):
        grading.grade(queued.pk)
    queued.refresh_from_db()
    assert (queued.state, queued.attempt, judge.calls) == (State.QUEUED, 0, [])


def test_progress_reaches_the_row_while_the_judge_works(queued, judge):
    seen = []

    def answer(slug, source, *, progress, **_):
        progress("case", 2, 8)
        for _ in range(60):
            time.sleep(0.05)
            row = Submission.objects.light().get(pk=queued.pk)
            if row.phase == "case":
                seen.append((row.progress_done, row.progress_total))
                break
        return passed()

    judge.answer = answer
    assert grading.grade(queued.pk)
    assert seen == [(2, 8)]


def test_the_lease_is_extended_while_the_judge_works(queued, judge, monkeypatch):
    monkeypatch.setattr(grading.Heartbeat.__init__, "__kwdefaults__", {"every": 0.05, "longest": 60})
    leases = []

    def answer(*_, **__):
        for _ in range(2):
            leases.append(Submission.objects.light().get(pk=queued.pk).lease_until)
            time.sleep(0.6)
        return passed()

    judge.answer = answer
    assert grading.grade(queued.pk)
    assert leases[1] > leases[0]


def test_a_judge_that_is_stuck_is_not_kept_alive_for_ever(queued):
    claimed = Submission.objects.claim(queued.pk, worker="w")
    with grading.Heartbeat(queued.pk, claimed.attempt, every=0.01, longest=0.0) as heart:
        time.sleep(0.3)
        assert not heart._thread.is_alive()


def test_a_cancelled_submission_stops_its_judge_and_gets_no_verdict(queued, judge, monkeypatch):
    monkeypatch.setattr(grading.Heartbeat.__init__, "__kwdefaults__", {"every": 0.05, "longest": 60})

    def answer(*_, cancelled, **__):
        Submission.objects.cancel(queued.pk)
        for _ in range(60):
            if cancelled():
                raise judge.Cancelled
            time.sleep(0.05)
        raise AssertionError("the judge was never told")

    judge.answer = answer
    assert not grading.grade(queued.pk)
    queued.refresh_from_db()
    assert (queued.state, queued.verdict) == (State.CANCELLED, None)


def test_a_fault_of_ours_is_tried_again_and_then_said_to_be_ours(queued, judge, hints):
    judge.answer = ungradable()
    for attempt in range(1, MAX_ATTEMPTS):
        assert not grading.grade(queued.pk)
        queued.refresh_from_db()
        assert (queued.state, queued.attempt, queued.verdict) == (State.QUEUED, attempt, None)
    assert grading.grade(queued.pk)
    queued.refresh_from_db()
    assert (queued.state, queued.outcome, queued.score) == (State.DONE, "ungradable", 0.0)
    assert not grading.grade(queued.pk)
    assert len(judge.calls) == MAX_ATTEMPTS


def test_an_exception_in_the_judge_is_our_fault(queued, judge):
    def answer(*_, **__):
        raise RuntimeError("a bug of ours")

    judge.answer = answer
    for _ in range(MAX_ATTEMPTS):
        grading.grade(queued.pk)
    queued.refresh_from_db()
    assert queued.outcome == "ungradable"
    assert "our fault, not your code's" in queued.verdict["message"]


def test_a_worker_that_is_stopped_hands_its_submission_back(queued, judge):
    def answer(*_, **__):
        raise SystemExit

    judge.answer = answer
    with pytest.raises(SystemExit):
        grading.grade(queued.pk)
    queued.refresh_from_db()
    assert (queued.state, queued.lease_until) == (State.QUEUED, None)
    assert list(Submission.objects.without_hint()) == [queued]


def test_a_verdict_waits_for_a_database_that_is_away(queued, judge, monkeypatch):
    monkeypatch.setattr(grading, "WRITE_RETRIES_S", (0.0, 0.0))
    real, fails = type(Submission.objects).finish, [OperationalError("away"), OperationalError("still away")]

    def finish(self, *args, **kwargs):
        if fails:
            raise fails.pop()
        return real(self, *args, **kwargs)

    monkeypatch.setattr(type(Submission.objects), "finish", finish)
    assert grading.grade(queued.pk)
    queued.refresh_from_db()
    assert queued.outcome == "passed"


def test_what_the_learner_printed_is_storable(queued, judge):
    judge.answer = passed(output="a\x00b\ud800c")
    assert grading.grade(queued.pk)
    queued.refresh_from_db()
    assert queued.verdict["output"] == "a␀b\\ud800c"


def age(submission, **fields):
    Submission.objects.filter(pk=submission.pk).update(**fields)


class TestSweep:
    def test_a_silent_workers_submission_is_sent_out_again(self, queued, hints, past):
        Submission.objects.claim(queued.pk, worker="gone")
        age(queued, lease_until=past)
        assert sweeping.sweep() == (1, 0, 1)
        assert hints == [(queued.pk, "cpu")]
        queued.refresh_from_db()
        assert (queued.state, queued.attempt) == (State.QUEUED, 1)

    def test_a_working_workers_submission_is_left_alone(self, queued, hints):
        Submission.objects.claim(queued.pk, worker="w")
        assert sweeping.sweep() == (0, 0, 0)

    def test_after_three_silent_workers_we_say_it_is_our_fault(self, queued, hints, past):
        for _ in range(MAX_ATTEMPTS):
            assert Submission.objects.claim(queued.pk, worker="gone")
            age(queued, lease_until=past)
            sweeping.sweep()
        queued.refresh_from_db()
        assert (queued.state, queued.outcome) == (State.DONE, "ungradable")
        assert "interrupted 3 times. This is our fault" in queued.verdict["message"]
        assert sweeping.sweep() == (0, 0, 0)

    def test_what_a_lost_queue_forgot_is_sent_out_again_once(self, queued, hints, past):
        age(queued, hinted_at=past)
        assert sweeping.sweep() == (0, 0, 1)
        assert sweeping.sweep() == (0, 0, 0)
        assert hints == [(queued.pk, "cpu")]

    def test_a_fresh_message_is_waited_for(self, queued, hints):
        queued.refresh_from_db()
        Submission.objects.mark_hinted(queued.pk, queued.hinted_at)
        assert sweeping.sweep() == (0, 0, 0)

    def test_a_queue_that_is_away_ends_the_sweep_and_not_the_submissions(self, owner, hints, past):
        hints.down = True
        rows = [new_submission(owner) for _ in range(3)]
        assert sweeping.sweep() == (0, 0, 0)
        hints.down = False
        Submission.objects.update(hinted_at=past)
        sweeping.sweep()
        assert hints == [(row.pk, "cpu") for row in rows]

    def test_a_gpu_submission_goes_to_the_gpu_queue(self, owner, hints):
        runners.beat("celery@one", "gpu")
        submission = new_submission(owner, device="cuda")
        sweeping.sweep()
        assert hints == [(submission.pk, "gpu")]

    def test_a_long_queue_is_not_sent_out_whole(self, owner, hints):
        Submission.objects.bulk_create(
            Submission(user=owner, lab="free-lab", source=b"") for _ in range(sweeping.HINTS_A_SWEEP + 5)
        )
        assert sweeping.sweep()[2] == sweeping.HINTS_A_SWEEP


@pytest.fixture
def past():
    from datetime import timedelta

    from django.utils import timezone

    return timezone.now() - timedelta(minutes=1)


def test_the_one_whose_turn_it_is_gets_its_own_verdict(owner, judge):
    """The message names another: it says only that something waits."""
    first, second = new_submission(owner, source=b"first"), new_submission(owner, source=b"second")
    judge.answer = lambda slug, source, **_: passed(message=source.decode())
    assert grading.grade(second.pk) and grading.grade(first.pk)
    for submission, text in ((first, "first"), (second, "second")):
        submission.refresh_from_db()
        assert (submission.outcome, submission.verdict["message"], submission.attempt) == ("passed", text, 1)
    assert first.finished < second.finished
