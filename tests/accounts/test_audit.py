"""What staff do with people's accounts and data is written down, once, and for good."""

from datetime import timedelta

import pytest
from django.core.management import call_command
from django.db import DatabaseError, connection, transaction
from django.test import Client
from django.utils import timezone

from accounts import audit
from accounts.models import AppendOnly, AuditEntry, Grant, User
from courses.models import Answer, Question
from discussion import moderating
from discussion.models import Comment, Report, Thread
from labs.models import Submission
from tests.courses.conftest import curriculum  # noqa: F401

pytestmark = pytest.mark.django_db
LOG = "/staff/accounts/auditentry/"


@pytest.fixture
def by_staff(client: Client, staff: User) -> Client:
    client.force_login(staff)
    return client


def entries() -> list[tuple[str, int | None, int | None, str]]:
    return list(AuditEntry.objects.order_by("pk").values_list("action", "by", "about", "what"))


def test_looking_at_somebodys_submission_is_noted(by_staff: Client, staff: User, member: User) -> None:
    row = Submission.objects.create(user=member, lab="open-lab", source=b"x = 1")
    assert by_staff.get("/staff/labs/submission/").status_code == 200
    assert entries() == []
    answer = by_staff.get(f"/staff/labs/submission/{row.pk}/change/")
    assert "x = 1" in answer.text
    assert entries() == [("viewed", staff.pk, member.pk, f"submission {row.public_id}")]
    assert AuditEntry.objects.get().request_id == answer["X-Request-ID"]


def test_so_is_looking_at_an_answer_and_an_account(by_staff, staff: User, member: User, curriculum) -> None:  # noqa: F811
    row = Answer.objects.create(user=member, question=Question.objects.get(), text="mine", question_version="1")
    assert by_staff.get(f"/staff/courses/answer/{row.pk}/change/").status_code == 200
    assert by_staff.get(f"/staff/accounts/user/{member.pk}/change/").status_code == 200
    assert entries() == [
        ("viewed", staff.pk, member.pk, f"answer {row.pk}"),
        ("viewed", staff.pk, member.pk, f"user {member.pk}"),
    ]


def test_who_may_not_look_leaves_no_trace_of_having_looked(client: Client, member: User) -> None:
    row = Submission.objects.create(user=member, lab="open-lab", source=b"x = 1")
    member.is_staff = True
    member.save()
    client.force_login(member)
    assert client.get(f"/staff/labs/submission/{row.pk}/change/").status_code == 403
    assert entries() == []


def test_a_grant_is_noted_however_it_is_given(by_staff: Client, staff: User, member: User) -> None:
    call_command("grant", member.email, "--until", "2999-01-31", verbosity=0)
    new = {
        "user": member.pk,
        "until_0": "2999-03-01",
        "until_1": "00:00:00",
        "reason": "a prize for member@example.org",
    }
    assert by_staff.post("/staff/accounts/grant/add/", new).status_code == 302
    longest, shortest = Grant.objects.all()
    form = {"email": member.email, "display_name": "Member", "timezone": "UTC", "is_active": "on", "is_staff": "on"}
    form |= {"grants-TOTAL_FORMS": "1", "grants-INITIAL_FORMS": "1", "grants-0-id": longest.pk}
    form |= {"grants-0-user": member.pk, "grants-0-reason": "x", "grants-0-until_0": "2999-05-01"}
    form["grants-0-until_1"] = "00:00:00"
    assert by_staff.post(f"/staff/accounts/user/{member.pk}/change/", form).status_code == 302
    assert by_staff.post(f"/staff/accounts/grant/{shortest.pk}/delete/", {"post": "yes"}).status_code == 302
    said = [entry for entry in entries() if entry[0] == "granted"]
    assert said == [
        ("granted", None, member.pk, "premium until 2999-02-01 00:00 UTC"),
        ("granted", staff.pk, member.pk, "premium until 2999-03-01 00:00 UTC"),
        ("granted", staff.pk, member.pk, "premium until 2999-05-01 00:00 UTC"),
        ("granted", staff.pk, member.pk, "taken away: premium until 2999-02-01 00:00 UTC"),
    ]
    assert any(action == "changed" and "Staff" in what for action, _, _, what in entries())
    assert "@" not in str(entries())


def test_moderation_is_noted(staff: User, member: User, stranger: User, curriculum) -> None:  # noqa: F811
    thread = Thread.objects.create(question=Question.objects.get(), author=member, title="T")
    rows = [Comment.objects.create(thread=thread, author=member, text="words", html="words")]
    rows.append(Comment.objects.create(thread=thread, author=member, parent=rows[0], text="more", html="more"))
    Report.objects.create(comment=rows[0], reporter=stranger, why="spam")
    now = timezone.now()
    moderating.hide([rows[0].pk], "Because.", staff, now)
    moderating.show([rows[0].pk, rows[1].pk], staff)
    moderating.take_words_away([rows[1]], staff, now)
    assert entries() == [
        ("moderated", staff.pk, member.pk, f"comment {rows[0].pk} hidden"),
        ("moderated", staff.pk, member.pk, f"report {Report.objects.get().pk} of comment {rows[0].pk} upheld"),
        ("moderated", staff.pk, member.pk, f"comment {rows[0].pk} shown again"),
        ("moderated", staff.pk, member.pk, f"comment {rows[1].pk} deleted"),
    ]


class TestForGood:
    @pytest.fixture
    def entry(self, staff: User, member: User) -> AuditEntry:
        audit.record(audit.VIEWED, by=staff, about=member.pk, what="something")
        return AuditEntry.objects.get()

    def test_our_own_code_cannot_change_or_delete_one(self, entry: AuditEntry) -> None:
        entry.what = "nothing"
        for attempt in (
            entry.save,
            entry.delete,
            AuditEntry.objects.all().delete,
            lambda: AuditEntry.objects.update(what="nothing"),
            lambda: AuditEntry.objects.bulk_update([entry], ["what"]),
        ):
            with pytest.raises(AppendOnly), transaction.atomic():
                attempt()
        assert AuditEntry.objects.get().what == "something"

    def test_the_database_refuses_a_change_too(self, entry: AuditEntry) -> None:
        with pytest.raises(DatabaseError, match="are not changed"), transaction.atomic():
            connection.cursor().execute("UPDATE accounts_auditentry SET what = 'nothing'")
        assert AuditEntry.objects.get().what == "something"

    def test_staff_can_only_read_it(self, by_staff: Client, entry: AuditEntry, member: User) -> None:
        page = by_staff.get(LOG).text
        assert "something" in page and f"Member ({member.pk})" in page and "Staff (" in page
        assert by_staff.get(f"{LOG}?q={member.pk}").text.count("something") == 1
        assert by_staff.get(f"{LOG}add/").status_code == 403
        assert by_staff.post(f"{LOG}{entry.pk}/delete/", {"post": "yes"}).status_code == 403
        assert by_staff.post(f"{LOG}{entry.pk}/change/", {"what": "nothing"}).status_code == 403

    def test_it_outlives_the_account_by_number_alone(self, by_staff: Client, entry: AuditEntry, member: User) -> None:
        number = member.pk
        member.delete()
        assert f"a deleted account ({number})" in by_staff.get(LOG).text


def test_the_one_it_is_about_takes_it_along(member: User, staff: User, stranger: User) -> None:
    from accounts import personal

    audit.record(audit.VIEWED, by=staff, about=member.pk, what="submission abc")
    audit.record(audit.VIEWED, by=staff, about=stranger.pk, what="submission xyz")
    (part,) = [part for part in personal.parts() if part.name == "account/audit"]
    (row,) = part.rows(member)
    assert (row["action"], row["what"], "by" in row) == ("viewed", "submission abc", False)
    assert row["at"] > timezone.now() - timedelta(minutes=1)


def test_what_the_staff_pages_note_loses_the_address_with_the_account(by_staff, member: User) -> None:
    from django.contrib.admin.models import LogEntry

    from accounts import deleting

    new = {"user": member.pk, "until_0": "2999-03-01", "until_1": "00:00:00", "reason": "prize"}
    by_staff.post("/staff/accounts/grant/add/", new)
    assert "member@example.org" in LogEntry.objects.get().object_repr
    deleting.delete(member)
    assert LogEntry.objects.get().object_repr == "of a deleted account"
