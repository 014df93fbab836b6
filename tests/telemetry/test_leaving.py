"""Spans and reports of faults: off by default, and what arrives somewhere else says nothing of a person."""

import gzip
import json
import os
import subprocess
import sys
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from telemetry import faults, scrub, spans

ROOT = Path(__file__).resolve().parents[2]
REQUEST_ID = "00112233445566778899aabbccddeeff"


@contextmanager
def listening():
    """Take in what is sent; give the server's address and the list of (path, body)."""
    got = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            got.append((self.path, gzip.decompress(body) if self.headers.get("Content-Encoding") == "gzip" else body))
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"{}")

        def log_message(self, *args):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"127.0.0.1:{server.server_port}", got
    finally:
        server.shutdown()
        server.server_close()


def spans_in(got):
    """Return the spans among what was sent."""
    messages = [ExportTraceServiceRequest.FromString(body) for path, body in list(got) if path == "/v1/traces"]
    return [
        each
        for message in messages
        for one in message.resource_spans
        for scope in one.scope_spans
        for each in scope.spans
    ]


SITE = """
import sys, django; django.setup()
from django.core.management import call_command
from django.test import Client
from accounts.models import User
import headroom.views
# redis loads the rest of it for itself where it is installed
EXPORTER = "opentelemetry.exporter.otlp.proto.http"
call_command("migrate", verbosity=0)
client = Client(raise_request_exception=False)
client.force_login(User.objects.create_user("ada@example.org", display_name="Ada Lovelace"))
def broken(person, in_order, read):
    private = "ada-private-variable"
    raise RuntimeError("near ada@example.org, token hunter2hunter2")
headroom.views.course_progress.next_lesson = broken
answer = client.get("/account/?q=ada-private-query", headers={"Host": "localhost", "X-Request-ID": sys.argv[1],
    "Cookie-Like": "ada-private-header"})
assert answer.status_code == 500, answer.status_code
print(sorted(name for name in sys.modules if name in ("sentry_sdk", EXPORTER)))
from telemetry import spans; spans.stop()
if "sentry_sdk" in sys.modules: sys.modules["sentry_sdk"].flush(5)
"""


def site(tmp_path, **given: str) -> str:
    names = {"DATABASE_URL", "HEADROOM_MODE", "HEADROOM_TEST_DATABASE", "REDIS_URL"}
    environment = {name: value for name, value in os.environ.items() if name not in names}
    environment |= {
        "DJANGO_SETTINGS_MODULE": "headroom.settings",
        "HEADROOM_DATA": str(tmp_path),
        "TRUSTED_PROXIES": "1",
        "SOME_TOKEN": "hunter2hunter2",
        **given,
    }
    done = subprocess.run(
        [sys.executable, "-c", SITE, REQUEST_ID], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_nothing_of_it_is_loaded_until_an_address_says_where_to(tmp_path) -> None:
    assert site(tmp_path) == "[]"


def test_a_request_and_its_fault_arrive_with_their_ids_and_nothing_of_the_person(tmp_path) -> None:
    with listening() as (address, got):
        loaded = site(tmp_path, OTEL_EXPORTER_OTLP_ENDPOINT=f"http://{address}", SENTRY_DSN=f"http://key@{address}/7")
    assert loaded == "['opentelemetry.exporter.otlp.proto.http', 'sentry_sdk']"
    everything = b"".join(body for _, body in got)
    for private in (b"ada", b"Ada", b"hunter2", b"private", b"@example"):
        assert private not in everything, private

    (span,) = spans_in(got)
    said = {each.key: each.value.string_value or each.value.int_value for each in span.attributes}
    assert (span.name, span.trace_id.hex()) == ("request", REQUEST_ID)
    assert said == {"request_id": REQUEST_ID, "method": "GET", "view": "account", "status": 500}

    reports = [body for path, body in got if path == "/api/7/envelope/"]
    events = [json.loads(line) for body in reports for line in body.splitlines() if b'"exception"' in line]
    (event,) = events
    error = event["exception"]["values"][-1]
    assert (error["type"], error["value"]) == ("RuntimeError", "near [address], token [secret]")
    assert error["stacktrace"]["frames"][-1]["function"] == "broken"
    assert event["tags"] == {"request_id": REQUEST_ID}
    assert event["transaction"] == "/account/"
    assert not {"request", "user", "breadcrumbs", "extra", "contexts", "server_name", "modules"} & event.keys()


def test_a_block_is_timed_by_a_span_or_by_nothing() -> None:
    with spans.span("alone") as said:
        said["x"] = 1
    with listening() as (address, got):
        spans.start(f"http://{address}", "1")
        with pytest.raises(ValueError), spans.span("fails", lab="a", nothing=""):
            raise ValueError("words of a person")
        spans.stop()
    (_, body) = got[0]
    assert b"fails" in body and b"ValueError" in body and b"words of a person" not in body


@pytest.mark.parametrize(("given", "number"), [(REQUEST_ID, int(REQUEST_ID, 16)), ("short", 0), ("z" * 32, 0), ("", 0)])
def test_a_request_id_is_a_trace_id_where_it_can_be(given: str, number: int) -> None:
    assert spans.trace_id(given) == number


def test_an_event_keeps_only_what_is_listed(monkeypatch) -> None:
    event = {
        "level": "error",
        "request": {"url": "https://x/?q=1"},
        "user": {"id": 1},
        "extra": {"a": 1},
        "breadcrumbs": {"values": [1]},
        "exception": {"values": [{"value": "of ada@example.org", "stacktrace": {"frames": [{"vars": {"a": 1}}]}}]},
    }
    assert faults.scrubbed(event, {}) == {
        "level": "error",
        "tags": {},
        "exception": {"values": [{"value": "of [address]", "stacktrace": {"frames": [{}]}}]},
    }
    assert scrub.everything((1, None, 2.5)) == [1, None, 2.5]
