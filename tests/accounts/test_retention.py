"""What is due is deleted, what is not stays: every rule, with the clock moved."""

import html
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from allauth.usersessions.models import UserSession
from django.contrib.admin.models import LogEntry
from django.contrib.sessions.models import Session
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone

from accounts import audit, retention
from accounts.models import AuditEntry, User
from billing.models import Event
from courses.models import Question
from discussion.models import Act, Comment, Report, Thread
from labs.models import Draft, State, Submission
from tests.courses.conftest import curriculum  # noqa: F401

pytestmark = pytest.mark.django_db
NOW = timezone.now()
DAY = timedelta(days=1)
TIMELINE = {"yours": {"total": [1, 2]}}
VERDICT = {"lab": "open-lab", "outcome": "passed", "score": 1.0, "timeline": TIMELINE, "peak": {"bytes": 7}}


@pytest.fixture
def kept(member: User, staff: User, stranger: User, curriculum) -> dict[str, Callable[[], Any]]:  # noqa: F811
    """Make one thing that each rule is about, now; return how each is looked for."""
    client = Client()
    client.force_login(member)
    client.get("/account/")
    audit.record(audit.VIEWED, by=staff, about=member.pk, what="something")
    LogEntry.objects.create(user=staff, object_repr="x", action_flag=1)
    never = User.objects.create_user("never@example.org", "a long passphrase")
    EmailAddress.objects.create(user=never, email=never.email, verified=False, primary=True)
    Submission.objects.create(
        user=member, lab="open-lab", source=b"x", state=State.DONE, finished=NOW, verdict=VERDICT, outcome="passed"
    )
    closed = User.objects.create_user("closed@example.org", "a long passphrase", is_active=False)
    for user in (closed, member):
        Draft.objects.create(user=user, lab="open-lab", text="x")
    Event.objects.create(provider_id="evt_1", kind="invoice.paid", created=NOW, did="learned")
    Act.objects.create(user=member, kind="write", at=NOW)
    thread = Thread.objects.create(question=Question.objects.get(), author=member, title="T")
    comment = Comment.objects.create(thread=thread, author=member, text="x", html="x")
    Report.objects.create(comment=comment, reporter=stranger, why="spam", state="dismissed", settled_at=NOW)
    Report.objects.create(comment=comment, reporter=staff, why="spam")
    return {
        "account/audit": AuditEntry.objects.exists,
        "account/changes": LogEntry.objects.exists,
        "account/sessions": lambda: Session.objects.exists() or UserSession.objects.exists(),
        "account/never-used": User.objects.filter(email="never@example.org").exists,
        "labs/timelines": lambda: bool(Submission.objects.get().verdict["timeline"]),
        "labs/drafts": Draft.objects.filter(user=closed).exists,
        "billing/events": Event.objects.exists,
        "discussion/acts": Act.objects.exists,
        "discussion/reports": Report.objects.exclude(state="open").exists,
    }


def due(rule: retention.Rule) -> datetime:
    """Return the moment at which what was made now is due."""
    session = timedelta(days=30) if rule.name == "account/sessions" else timedelta(0)
    return NOW + rule.keep + session


def test_each_rule_deletes_at_its_time_and_not_before(kept) -> None:
    assert sorted(kept) == [rule.name for rule in retention.rules()]
    for rule in retention.rules():
        # Some rows are dated by the database, minutes after this module was read.
        before, after = (due(rule) - rule.keep + timedelta(hours=hours) for hours in (-12, 12))
        assert rule.forget(before) == 0
        assert kept[rule.name](), f"{rule.name} went early"
        assert rule.forget(after) == 1
        assert not kept[rule.name](), f"{rule.name} is still there"
        assert rule.forget(after) == 0


def test_a_night_takes_what_is_due_and_leaves_the_rest(kept) -> None:
    taken = retention.run(NOW + timedelta(days=100))
    assert {name for name, count in taken.items() if count} == {
        rule.name for rule in retention.rules() if due(rule) < NOW + timedelta(days=100)
    }
    assert kept["labs/timelines"]() and kept["billing/events"]() and kept["account/audit"]()
    assert not kept["labs/drafts"]() and not kept["account/never-used"]()


def test_nothing_else_ever_goes(kept, member: User) -> None:
    retention.run(NOW + timedelta(days=36500))
    assert {user.email.partition("@")[0] for user in User.objects.all()} == {"member", "staff", "stranger", "closed"}
    assert Draft.objects.get().user == member
    assert (Comment.objects.count(), Thread.objects.count(), Report.objects.get().state) == (1, 1, "open")
    row = Submission.objects.get()
    assert row.verdict == {**VERDICT, "timeline": {}}
    assert bytes(row.source) == b"x"


def test_a_verdict_without_its_timeline_can_still_be_read(client: Client, kept, member: User) -> None:
    retention.run(NOW + timedelta(days=200))
    client.force_login(member)
    page = client.get(f"/labs/submissions/{Submission.objects.get().public_id}/")
    assert page.status_code == 200
    assert client.get(f"/labs/submissions/{Submission.objects.get().public_id}/timeline.csv").status_code == 404


def test_the_page_says_how_long(client: Client, member: User) -> None:
    client.force_login(member)
    text = html.unescape(client.get("/account/data/").text)
    for rule in retention.rules():
        assert rule.title in text and rule.how_long in text
    assert "180 days after they were made" in text


def test_many_rows_go_in_batches(monkeypatch) -> None:
    monkeypatch.setattr(retention, "BATCH", 2)
    for number in range(5):
        Event.objects.create(provider_id=f"evt_{number}", kind="x", created=NOW, did="x")
    assert retention.in_batches(Event.objects.all()) == 5
    assert not Event.objects.exists()


def test_one_rule_that_fails_does_not_stop_the_others(kept, monkeypatch, capsys) -> None:
    def fail(before: datetime) -> int:
        raise RuntimeError("a fault")

    rules = {**retention._rules, "account/audit": retention.Rule("account/audit", "A", DAY, "x", fail)}
    monkeypatch.setattr(retention, "_rules", rules)
    monkeypatch.setattr(timezone, "now", lambda: NOW + timedelta(days=36500))
    with pytest.raises(CommandError, match="a rule failed"):
        call_command("retention")
    said = capsys.readouterr().out
    assert "account/audit: FAILED (A: 1 day after x)" in said and "billing/events: 1 (" in said
    assert AuditEntry.objects.exists() and not Event.objects.exists()


def test_every_rule_has_a_name_of_its_own() -> None:
    with pytest.raises(ValueError, match="two rules"):
        retention.rule("account/audit", "Again", DAY)(lambda before: 0)


def test_the_nightly_task_runs_them(settings, monkeypatch) -> None:
    from accounts import tasks

    ran: list[datetime] = []
    monkeypatch.setattr(retention, "run", ran.append)
    entry = settings.CELERY_BEAT_SCHEDULE["retention"]
    assert entry["task"] == tasks.forget_what_is_due.name
    tasks.forget_what_is_due()
    assert len(ran) == 1
