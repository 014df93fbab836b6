"""Log lines: what they say, and what they must never say."""

import json
import logging
import threading

import pytest
from django.test import Client

from accounts.models import User
from telemetry import context, logs, scrub


@pytest.fixture
def lines():
    """Catch what the site's handler writes, in JSON; call it for the lines so far."""

    class Kept(logging.Handler):
        def __init__(self):
            super().__init__()
            self.texts = []

        def emit(self, record):
            self.texts.append(self.format(record))

    handler = Kept()
    handler.setFormatter(logs.Json())
    handler.addFilter(logs.Fields())
    root = logging.getLogger()
    level = root.level
    root.addHandler(handler)
    root.setLevel(logging.INFO)
    yield lambda: [json.loads(text) for text in handler.texts]
    root.removeHandler(handler)
    root.setLevel(level)


def test_a_line_says_when_who_and_what_it_is_about(lines) -> None:
    with context.about(request_id="0123456789abcdef", submission="xyz", lab=""):
        logging.getLogger("some.place").warning("It is %d.", 3, extra={"attempt": 2, "user": "someone"})
    (line,) = lines()
    assert line.pop("time").endswith("Z") and line.pop("process") > 0
    assert line == {
        "level": "WARNING",
        "logger": "some.place",
        "message": "It is 3.",
        "request_id": "0123456789abcdef",
        "submission": "xyz",
        "attempt": 2,
    }
    assert context.current() == {}


def test_a_thread_that_is_given_the_context_carries_it(lines) -> None:
    with context.about(request_id="0123456789abcdef"):
        for target in (context.carried(lambda: logging.warning("carried")), lambda: logging.warning("alone")):
            thread = threading.Thread(target=target)
            thread.start()
            thread.join()
    assert {line["message"]: line.get("request_id") for line in lines()} == {
        "carried": "0123456789abcdef",
        "alone": None,
    }


def test_addresses_and_secrets_are_taken_out_also_of_tracebacks(lines, monkeypatch) -> None:
    monkeypatch.setattr(scrub, "_secrets", [])
    scrub.know({"STRIPE_SECRET_KEY": "sk_live_abcdefgh", "HOME": "/home/someone", "SHORT_KEY": "the"})
    try:
        raise ValueError("Key (email)=(ada.l+x@mail.example.org) and redis://user:hunter2@host/0")
    except ValueError:
        logging.exception("the key sk_live_abcdefgh of /home/someone")
    scrub.know({})
    (line,) = lines()
    assert line["message"] == "the key [secret] of /home/someone"
    assert "ValueError: Key (email)=([address]) and redis://[credentials]@host/0" in line["traceback"]


def test_the_readable_form_has_the_fields_behind_the_message() -> None:
    record = logging.LogRecord("a.b", logging.INFO, "x.py", 1, "Said by ada@example.org.", (), None)
    record.submission, record.lab = "xyz", "Said"  # what the message says is not said again
    assert logs.Readable().format(record).endswith("INFO a.b: Said by [address].  [submission=xyz]")


@pytest.mark.django_db
def test_each_request_has_a_line_by_its_view_and_not_by_its_address(client: Client, lines) -> None:
    answers = [client.get(path) for path in ("/account/password/reset/key/a-secret-key/?q=ada", "/nothing-here/")]
    said = [line for line in lines() if line["logger"] == "headroom.request"]
    assert [(line["view"], line["status"], line["method"]) for line in said] == [
        ("account_reset_password_from_key", answers[0].status_code, "GET"),
        ("none", 404, "GET"),
    ]
    assert [line["request_id"] for line in said] == [answer["X-Request-ID"] for answer in answers]
    assert said[0]["request_id"] != said[1]["request_id"]
    assert "secret" not in json.dumps(lines()) and "ada" not in json.dumps(lines())


@pytest.mark.django_db
def test_a_fault_is_logged_by_its_route_with_its_traceback(client: Client, lines, monkeypatch) -> None:
    def broken(*args: object) -> None:
        raise RuntimeError("a fault near ada@example.org")

    monkeypatch.setattr("headroom.views.course_progress.next_lesson", broken)
    client.force_login(User.objects.create_user("member@example.org"))
    client.raise_request_exception = False
    answer = client.get("/account/?q=private")
    (fault,) = [line for line in lines() if line["logger"] == "django.request"]
    assert (answer.status_code, fault["message"]) == (500, "Internal Server Error: /account/")
    assert fault["request_id"] == answer["X-Request-ID"]
    assert "RuntimeError: a fault near [address]" in fault["traceback"]
    assert "private" not in json.dumps(lines()) and "@example" not in json.dumps(lines())


def test_an_answer_of_503_is_logged_with_the_id_it_was_given(client: Client, lines, monkeypatch) -> None:
    monkeypatch.setattr("headroom.views._database_answers", lambda: False)
    answer = client.get("/readyz")
    said = [line for line in lines() if line["level"] in ("WARNING", "ERROR")]
    assert {line["logger"] for line in said} == {"headroom.request", "django.request"}
    assert {line["request_id"] for line in said} == {answer["X-Request-ID"]}


@pytest.mark.django_db
def test_a_refused_form_is_logged_without_its_address(lines) -> None:
    Client(enforce_csrf_checks=True).post("/account/password/reset/key/a-secret-key/", {"x": "1"})
    (refused,) = [line for line in lines() if line["logger"] == "django.security.csrf"]
    assert refused["message"].startswith("Forbidden (") and "secret" not in refused["message"]


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("proxies", "given", "taken"),
    [(1, "from-the-proxy.1", True), (0, "from-the-proxy.1", False), (1, "no spaces here", False), (1, "x" * 65, False)],
)
def test_a_request_id_is_taken_only_from_a_proxy_of_ours(client, settings, proxies, given, taken) -> None:
    settings.TRUSTED_PROXIES = proxies
    answer = client.get("/healthz", headers={"X-Request-ID": given})
    assert (answer["X-Request-ID"] == given) is taken
    assert taken or len(answer["X-Request-ID"]) == 32
