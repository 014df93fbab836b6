"""How a fault is reported, and what a request may bring."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from headroom import services
from headroom.env import BadEnvironment, Env
from tests.labs.conftest import catalogue, three_labs  # noqa: F401


def test_machines_find_where_to_report(client: Client, settings) -> None:
    settings.SITE_URL, settings.SECURITY_CONTACT = "https://learn.example.org", "mailto:faults@learn.example.org"
    answer = client.get("/.well-known/security.txt")
    assert answer["Content-Type"] == "text/plain; charset=utf-8"
    fields = dict(line.split(": ", 1) for line in answer.text.splitlines())
    expires = datetime.strptime(fields.pop("Expires"), "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC)
    assert timedelta(days=90) < expires - datetime.now(UTC) < timedelta(days=365)
    assert fields == {
        "Contact": "mailto:faults@learn.example.org",
        "Preferred-Languages": "en",
        "Canonical": "https://learn.example.org/.well-known/security.txt",
        "Policy": "https://learn.example.org/security/",
    }


@pytest.mark.django_db
def test_people_find_it_from_every_page(client: Client, settings) -> None:
    settings.SECURITY_CONTACT = "mailto:faults@learn.example.org"
    assert 'href="/security/"' in client.get("/account/login/").text
    text = client.get("/security/").text
    assert '<a href="mailto:faults@learn.example.org">faults@learn.example.org</a>' in text


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ({}, "mailto:headroom@learn.example"),
        ({"SECURITY_CONTACT": "https://learn.example/faults"}, "https://learn.example/faults"),
        ({"SECURITY_CONTACT": "mailto:a@b.example"}, "mailto:a@b.example"),
    ],
)
def test_where_to_report_is_the_sender_of_mail_unless_said(given: dict[str, str], found: str) -> None:
    assert services.security_contact(Env(given), "Headroom <headroom@learn.example>") == found


@pytest.mark.parametrize("given", ["a@b.example", "http://b.example", "mailto:a b@c.example"])
def test_nonsense_is_refused(given: str) -> None:
    with pytest.raises(BadEnvironment, match="SECURITY_CONTACT"):
        services.security_contact(Env({"SECURITY_CONTACT": given}), "x@y.example")


@pytest.mark.django_db
class TestBodies:
    def send(self, client: Client, size: int) -> int:
        file = SimpleUploadedFile("a.py", b"#" * size)
        return client.post("/labs/open-lab/send/", {"file": file, "do": "submit"}).status_code

    def test_a_file_of_any_size_is_refused_before_it_is_read(self, client, member, catalogue, settings) -> None:  # noqa: F811
        client.force_login(member)
        settings.LARGEST_BODY = 300_000
        # Too large for the lab, and small enough to be read and told so.
        assert self.send(client, 200_000) == 422
        assert self.send(client, 400_000) == 413

    @pytest.mark.parametrize("length", ["4194305", "99999999999999999999", "-1", "1e3", "²"])
    def test_the_length_alone_decides(self, client: Client, length: str) -> None:
        class Unread:
            def read(self, *args: object) -> bytes:
                raise AssertionError("it was read")

            readline = read

        answer = client.generic("POST", "/account/login/", CONTENT_LENGTH=length, **{"wsgi.input": Unread()})
        assert answer.status_code == 413
        assert "4,194,304 bytes" in answer.text and len(answer["X-Request-ID"]) == 32


def test_the_threat_model_states_the_limits_that_there_are(settings) -> None:
    from allauth.account import app_settings as account

    from courses import answering
    from courses.calculators import parsing
    from discussion import limits, writing
    from grader.catalog import Lab
    from labs import draft_views, submitting
    from notes import keeping
    from practice import drawing
    from search import words

    text = (Path(settings.BASE_DIR) / "docs/threat-model.md").read_text()
    table = text[text.index("## What one request") :].split("\n## ")[0]
    rows = {
        line.split(" | ")[0].removeprefix("| "): line.split(" | ")[1] for line in table.splitlines() if " | " in line
    }
    new, usual = limits.LIMITS["write"]
    assert f"{settings.LARGEST_BODY // 2**20} MiB" in rows["a request's body, files included"]
    fields, files = settings.DATA_UPLOAD_MAX_NUMBER_FIELDS, settings.DATA_UPLOAD_MAX_NUMBER_FILES
    assert rows["fields of a form, files in it"] == f"{fields}, {files}"
    assert f"{Lab.source_limit_bytes // 1024} KiB" in rows["a submission"]
    assert f"{submitting.DAILY_QUOTA} a day" in rows["submissions"]
    assert f"{draft_views.MOST_LETTERS:,}" in rows["a draft"]
    assert answering.LONGEST == keeping.LONGEST and f"{answering.LONGEST:,}" in rows["an answer, a note"]
    assert rows["a comment, a title"] == (
        f"{writing.LONGEST:,}, {writing.LONGEST_TITLE} characters; {usual.an_hour} an hour and {usual.a_day} a day, "
        f"{new.an_hour} and {new.a_day} for who is new"
    )
    assert f"{words.LONGEST_QUERY} characters" in rows["a search"]
    assert f"{parsing.LONGEST}, {drawing.LONGEST} characters" in rows["a number in a calculator or an exercise"]
    told = {name: account.RATE_LIMITS[name] for name in ("login", "login_failed", "signup", "reset_password")}
    assert told == {
        "login": "30/m/ip",
        "login_failed": "10/m/ip,5/300s/key",
        "signup": "20/m/ip",
        "reset_password": "20/m/ip,5/m/key",
    }
    of_person = [account.RATE_LIMITS[name] for name in ("change_password", "manage_email", "reauthenticate")]
    assert of_person == ["5/m/user", "10/m/user", "10/m/user"]
