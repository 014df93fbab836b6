"""Whose turn it is, how many may go first, and what a newer submission replaces."""

import pytest
from django.utils import timezone

from accounts.models import User
from grader import catalog
from labs import submitting
from labs.models import Mode, State, Submission
from tests.labs.conftest import new_submission, passed

pytestmark = pytest.mark.django_db


@pytest.fixture
def other(db):
    return User.objects.create_user("other@example.org")


@pytest.fixture
def third(db):
    return User.objects.create_user("third@example.org")


def serve(worker="w") -> Submission:
    """Let one worker take what is next and finish it."""
    submission = take(worker)
    assert Submission.objects.finish(submission.pk, submission.attempt, passed().to_json(), grader_version="1")
    return submission


def take(worker="w", device="cpu") -> Submission:
    pk = Submission.objects.fairest(device)
    assert pk is not None
    submission = Submission.objects.claim(pk, worker=worker)
    assert submission is not None
    return submission


def test_two_hundred_of_one_person_delay_anothers_one_by_a_single_grading(owner, other):
    for _ in range(200):
        new_submission(owner)
    assert serve().user == owner
    one = new_submission(other)
    assert one.ahead() == 1, "at most: the person who sent two hundred may be served once more"
    assert serve() == one
    assert Submission.objects.filter(user=owner, state=State.QUEUED).count() == 199


def test_people_are_served_in_turn_and_each_ones_own_in_the_order_they_were_sent(owner, other, third):
    sent = {user: [new_submission(user) for _ in range(count)] for user, count in ((owner, 3), (other, 2), (third, 1))}
    served = [serve() for _ in range(6)]
    assert [s.user for s in served] == [owner, other, third, owner, other, owner]
    for user, theirs in sent.items():
        assert [s for s in served if s.user == user] == theirs


def test_with_two_workers_nobody_has_two_in_work_while_another_waits(owner, other):
    for _ in range(3):
        new_submission(owner)
    new_submission(other)
    assert {take("a").user, take("b").user} == {owner, other}


def test_the_number_ahead_is_kept(owner, other, third):
    for user, count in ((owner, 5), (other, 2), (third, 1)):
        for _ in range(count):
            new_submission(user)
    mine = list(Submission.objects.filter(user=owner).order_by("pk"))[2]
    ahead, before = mine.ahead(), 0
    assert ahead == 2 + 2 + 1
    while serve() != mine:
        before += 1
    assert before <= ahead


def test_a_gpu_worker_takes_nothing_that_waits_for_a_cpu(owner):
    new_submission(owner)
    gpu = new_submission(owner, device="cuda")
    assert Submission.objects.fairest("cuda") == gpu.pk
    take(device="cuda")
    assert Submission.objects.fairest("cuda") is None


def test_who_was_served_long_ago_comes_before_who_was_served_just_now(owner, other):
    new_submission(owner)
    new_submission(other)
    serve()
    serve()
    Submission.objects.filter(user=other).update(started=timezone.now() - timezone.timedelta(hours=1))
    new_submission(owner)
    assert new_submission(other) == serve()


class TestSupersede:
    def send(self, owner, text, **more):
        lab = catalog.get("free-lab")
        return submitting.submit(owner, lab, mode=Mode.SUBMIT, source=text, key=text.decode(), **more).submission

    def test_nothing_is_replaced_unasked(self, owner, catalogue, hints):
        first = self.send(owner, b"a = 1")
        self.send(owner, b"a = 2")
        first.refresh_from_db()
        assert first.state == State.QUEUED

    def test_what_waits_in_this_lab_is_replaced_and_nothing_else(self, owner, other, catalogue, hints):
        waits, runs = self.send(owner, b"a = 1"), self.send(owner, b"a = 2")
        assert Submission.objects.claim(runs.pk, worker="w")
        elsewhere = new_submission(owner, lab="open-lab")
        public = new_submission(owner, mode=Mode.RUN)
        anothers = new_submission(other)
        newest = self.send(owner, b"a = 3", supersede=True)
        states = {s.pk: s.state for s in Submission.objects.all()}
        assert states.pop(waits.pk) == State.CANCELLED
        assert states.pop(runs.pk) == State.RUNNING
        assert set(states) == {elsewhere.pk, public.pk, anothers.pk, newest.pk}
        assert set(states.values()) == {State.QUEUED}

    def test_what_was_replaced_costs_nothing_of_the_day(self, owner, catalogue, hints):
        self.send(owner, b"a = 1")
        self.send(owner, b"a = 2", supersede=True)
        assert submitting.quota(owner, timezone.now()).used == 1

    def test_the_page_offers_it_only_while_something_waits(self, owner_client, owner, catalogue, hints):
        assert 'name="supersede"' not in owner_client.get("/labs/free-lab/").content.decode()
        owner_client.post("/labs/free-lab/send/", {"code": "a = 1", "do": "submit", "key": "1"})
        assert 'name="supersede"' in owner_client.get("/labs/free-lab/").content.decode()
        owner_client.post("/labs/free-lab/send/", {"code": "a = 2", "do": "submit", "key": "2", "supersede": "yes"})
        assert list(Submission.objects.order_by("pk").values_list("state", flat=True)) == ["cancelled", "queued"]
