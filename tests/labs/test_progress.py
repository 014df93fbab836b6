"""What a person has passed, for the pages that show progress."""

import pytest
from django.contrib.auth.models import AnonymousUser

from labs import progress
from labs.models import State
from tests.labs.conftest import new_submission

pytestmark = pytest.mark.django_db


def test_a_lab_is_passed_by_a_submission_that_passed(owner, subscriber):
    new_submission(owner, lab="a", state=State.DONE, outcome="passed")
    new_submission(owner, lab="a", state=State.DONE, outcome="failed")
    new_submission(owner, lab="b", state=State.DONE, outcome="failed")
    new_submission(owner, lab="c", state=State.DONE, outcome="passed", mode="run")
    new_submission(subscriber, lab="d", state=State.DONE, outcome="passed")
    assert progress.passed_slugs(owner) == {"a"}


def test_a_visitor_has_passed_nothing(db):
    assert progress.passed_slugs(AnonymousUser()) == set()
    assert progress.recent(AnonymousUser()) == []


def test_recent_ones_come_newest_first_without_their_source(owner, django_assert_num_queries):
    rows = [new_submission(owner) for _ in range(7)]
    with django_assert_num_queries(1):
        recent = progress.recent(owner)
        assert [row.lab for row in recent] == ["free-lab"] * 5
    assert recent == rows[:1:-1]
    assert "source" in recent[0].get_deferred_fields()
