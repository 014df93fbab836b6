"""Taking a submission in: one row, one message, and only what may come in."""

from datetime import UTC, datetime, timedelta

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from grader import catalog
from labs import submitting
from labs.models import Mode, State, Submission
from labs.submitting import NotAccepted, submit
from tests.labs.conftest import new_submission

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("catalogue")]


@pytest.fixture
def lab():
    return catalog.get("free-lab")


def test_the_bytes_reach_the_row_unchanged(owner, lab, hints):
    source = b"x = '\xff\xfe\x00'\r\n"
    submission = submit(owner, lab, mode=Mode.SUBMIT, source=source).submission
    submission.refresh_from_db()
    assert bytes(submission.source) == source


def test_a_message_goes_out_on_commit_and_not_before(owner, lab, hints, django_capture_on_commit_callbacks):
    with django_capture_on_commit_callbacks() as callbacks:
        submission = submit(owner, lab, mode=Mode.RUN, source=b"x = 1").submission
    assert (hints, len(callbacks)) == ([], 1)
    callbacks[0]()
    assert hints == [(submission.pk, "cpu")]


def test_a_queue_that_is_away_loses_nothing(owner, lab, hints, django_capture_on_commit_callbacks):
    hints.down = True
    with django_capture_on_commit_callbacks(execute=True):
        submission = submit(owner, lab, mode=Mode.SUBMIT, source=b"x = 1").submission
    submission.refresh_from_db()
    assert (submission.state, submission.hinted_at) == (State.QUEUED, None)
    assert list(Submission.objects.without_hint()) == [submission]


def test_the_same_form_sent_twice_makes_one_submission(owner, lab, hints):
    first = submit(owner, lab, mode=Mode.SUBMIT, source=b"x = 1", key="form-1")
    again = submit(owner, lab, mode=Mode.SUBMIT, source=b"x = 1", key="form-1")
    assert (first.created, again.created) == (True, False)
    assert first.submission == again.submission
    assert Submission.objects.count() == 1


@pytest.mark.parametrize(
    "change",
    [{"source": b"x = 2"}, {"mode": Mode.RUN}, {"key": "form-2"}],
    ids=["edited code", "the other button", "another form"],
)
def test_a_form_that_changed_makes_another(owner, lab, hints, change):
    same = {"mode": Mode.SUBMIT, "source": b"x = 1", "key": "form-1"}
    submit(owner, lab, **same)
    assert submit(owner, lab, **{**same, **change}).created


def test_without_a_key_the_same_code_within_two_seconds_makes_one(owner, lab, hints):
    now = timezone.now()
    first = submit(owner, lab, mode=Mode.SUBMIT, source=b"x = 1", now=now)
    assert not submit(owner, lab, mode=Mode.SUBMIT, source=b"x = 1", now=now + timedelta(seconds=1)).created
    later = submit(owner, lab, mode=Mode.SUBMIT, source=b"x = 1", now=now + timedelta(seconds=3))
    assert later.created and later.submission != first.submission


def test_a_form_sent_again_much_later_makes_another(owner, lab, hints):
    now = timezone.now()
    submit(owner, lab, mode=Mode.SUBMIT, source=b"x = 1", key="form-1", now=now)
    assert submit(owner, lab, mode=Mode.SUBMIT, source=b"x = 1", key="form-1", now=now + timedelta(minutes=5)).created


def test_two_people_may_have_the_same_key(owner, subscriber, lab, hints):
    assert submit(owner, lab, mode=Mode.SUBMIT, source=b"x = 1", key="form-1").created
    assert submit(subscriber, lab, mode=Mode.SUBMIT, source=b"x = 1", key="form-1").created


def test_the_database_refuses_a_second_row_with_the_same_key(owner):
    new_submission(owner, idempotency_key="k")
    with pytest.raises(IntegrityError), transaction.atomic():
        new_submission(owner, idempotency_key="k")


def test_an_empty_file_is_refused(owner, lab):
    with pytest.raises(NotAccepted, match=r"the file is empty. Write checkpoint\(\)"):
        submit(owner, lab, mode=Mode.SUBMIT, source=b" \n\t")
    assert not Submission.objects.exists()


def test_a_megabyte_of_code_is_refused_with_both_sizes(owner, lab):
    with pytest.raises(NotAccepted, match="1,048,576 bytes; this lab takes at most 65,536"):
        submit(owner, lab, mode=Mode.SUBMIT, source=b"#" * 2**20)


NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)


def fill(user, count, **fields):
    rows = [Submission(user=user, lab="free-lab", source=b"", **fields) for _ in range(count)]
    Submission.objects.bulk_create(rows)
    Submission.objects.filter(user=user).update(created=NOON)


def test_the_daily_quota_says_when_it_resets(owner, lab, hints):
    fill(owner, submitting.DAILY_QUOTA)
    with pytest.raises(NotAccepted, match=r"sent 200 submissions today.*from 00:00 UTC on 5 May"):
        submit(owner, lab, mode=Mode.SUBMIT, source=b"x = 1", now=NOON)
    assert submitting.quota(owner, NOON + timedelta(days=1)).left == submitting.DAILY_QUOTA


def test_what_we_failed_to_grade_is_not_charged(owner, lab, hints):
    fill(owner, 5, outcome="ungradable", state=State.DONE, attempt=3)
    fill(owner, 3, state=State.CANCELLED)
    fill(owner, 2, outcome="failed", state=State.DONE, attempt=1)
    assert submitting.quota(owner, NOON).used == 2


def test_one_persons_quota_is_not_anothers(owner, subscriber, lab, hints):
    fill(owner, submitting.DAILY_QUOTA)
    assert submit(subscriber, lab, mode=Mode.SUBMIT, source=b"x = 1", now=NOON).created
