"""What browsers and other servers send: any value in any field is taken or refused, and never an error of ours."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.http import HttpResponse
from django.test import Client, RequestFactory
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from accounts.models import User
from billing import reading, receiving
from courses import calculators
from courses.calculators import InputError, checking, units
from headroom.middleware import bounded
from practice import numbers
from search import words
from tests.fuzz.test_grader import JSON
from tests.support.payloads import BYTES, PAYLOADS

TYPED = st.text(max_size=90) | st.sampled_from(PAYLOADS) | st.text(alphabet="0123456789.,eE+-_ kMGTiB/s%'", max_size=40)
# each example goes through the test client, in the transaction of the test
with_client = settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
)

EVERY_FIELD = [(each, field.name) for each in calculators.all_calculators() for field in each.fields]


@given(st.sampled_from(EVERY_FIELD), TYPED)
def test_a_calculator_computes_or_asks_back(where: tuple[Any, str], typed: str) -> None:
    calculator, name = where
    try:
        result = calculator.compute({name: typed})
    except InputError as error:
        assert all(sentence for sentence in error.errors.values())
    else:
        assert all(units.finite(each.value) for each in result.figures if isinstance(each.value, int | float))


@given(st.sampled_from(numbers.all_numbers()), TYPED)
def test_an_answer_on_numbers_is_graded_or_asked_back(number: Any, typed: str) -> None:
    try:
        checked = checking.check(typed, 3.5, number.unit, number.tolerance)
    except ValueError as asked:
        assert str(asked)
    else:
        assert isinstance(checked.right, bool)


@given(st.text(max_size=400) | st.sampled_from(PAYLOADS))
def test_a_query_is_a_few_words(text: str) -> None:
    found = words.query(text)
    assert len(found) <= words.MOST_WORDS and all(each.isalnum() for each in found)


@given(
    st.text(alphabet="0123456789-+ .eE", max_size=30)
    | st.sampled_from(["9" * 5_000, "٣", "", "-1"])
    | st.text(max_size=8)
)
def test_a_length_is_believed_or_the_body_is_not_read(length: str) -> None:
    request = RequestFactory().post("/")
    request.META["CONTENT_LENGTH"] = length
    assert bounded(lambda _: HttpResponse())(request).status_code in (200, 413)


LOOSE = JSON | st.sampled_from(["x", [], {}, 0, -1, 10**30])


def listing(of: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.fixed_dictionaries({"data": st.lists(of | LOOSE, max_size=2)})


# What an event of the provider may hold, in the places where we look.
ABOUT = st.fixed_dictionaries(
    {},
    optional=dict.fromkeys(
        ("id", "customer", "status", "cancel_at", "cancel_at_period_end", "ended_at", "subscription", "mode"), LOOSE
    )
    | {
        "parent": LOOSE | st.fixed_dictionaries({"subscription_details": LOOSE}),
        "lines": LOOSE | listing(st.fixed_dictionaries({"period": LOOSE})),
        "items": LOOSE | listing(st.fixed_dictionaries({"price": LOOSE | st.fixed_dictionaries({"recurring": LOOSE})})),
    },
)  # fmt: skip
KINDS = st.sampled_from(
    ["customer.subscription.updated", "customer.subscription.created", "invoice.paid", "invoice.payment_failed",
     "checkout.session.completed", "x"]
) | st.text(max_size=8)  # fmt: skip
EVENTS = st.fixed_dictionaries(
    {"id": LOOSE | st.text(min_size=1, max_size=5), "type": KINDS | LOOSE, "created": st.integers(0, 2**33) | LOOSE},
    optional={"data": st.fixed_dictionaries({"object": ABOUT | LOOSE}) | LOOSE, "livemode": LOOSE},
)


@given(st.binary(max_size=120) | (EVENTS | JSON).map(lambda event: json.dumps(event).encode()))
def test_a_body_of_the_webhook_is_an_event_or_unreadable(body: bytes) -> None:
    try:
        event = receiving.parse(body)
        created = reading.moment(event.get("created"))
        about = (event.get("data") or {}).get("object") if isinstance(event.get("data"), dict) else None
        if created and isinstance(about, dict) and isinstance(event.get("type"), str):
            reading.news(event["type"], about, created)
    except reading.Unreadable as why:
        assert str(why)


@pytest.mark.django_db
@with_client
@given(event=EVENTS)
def test_an_event_is_taken_in_or_unreadable(event: dict[str, Any]) -> None:
    try:
        assert receiving.take_in(event, live=False)
    except reading.Unreadable as why:
        assert str(why)


@pytest.fixture
def client(member: User) -> Client:
    made = Client()
    made.force_login(member)
    return made


VALUES = TYPED | st.sampled_from(
    ["9" * 5_000, "-1", "1e9", "\x00", "٣", "²", "\ud800".encode("utf-8", "replace").decode()]
)
POSTS = {
    "/account/profile/": ("display_name", "timezone"),
    "/labs/checkpoint-function/draft/": ("text", "revision", "aside"),
    "/labs/checkpoint-function/draft/merge/": ("text", "base"),
    "/labs/checkpoint-function/send/": ("code", "do", "revision", "key", "wait", "supersede", "replaces"),
    "/practise/numbers/kv-bytes-a-token/answer/": ("answer", "do"),
    "/practise/review/grade/": ("card", "grade", "nth"),
    "/practise/review/turn/": ("card", "answer", "do"),
    "/practise/mock/start/": ("track", "level", "minutes"),
    "/notes/lab/checkpoint-function/": ("text", "revision"),
    "/notes/lab/checkpoint-function/bookmark/": ("on", "from"),
    "/discussion/lab/checkpoint-function/": ("title", "text", "spoiler"),
    "/discussion/preferences/": ("replies",),
    "/account/login/": ("login", "password", "next"),
    "/plans/checkout/": ("interval",),
}
GETS = {
    "/search/": ("q",),
    "/calculators/kv-cache/": ("layers", "format", "x"),
    "/labs/checkpoint-function/": ("from",),
    "/labs/checkpoint-function/changes/": ("from", "to"),
    "/discussion/lab/checkpoint-function/": ("page",),
    "/practise/review/": ("card",),
    "/account/login/": ("next",),
    "/plans/": ("interval", "back"),
    "/plans/done/": ("session",),
}


@pytest.mark.parametrize(("method", "path"), [("post", path) for path in POSTS] + [("get", path) for path in GETS])
@with_client
@given(data=st.data())
def test_any_value_in_any_field_is_answered(client: Client, method: str, path: str, data: st.DataObject) -> None:
    names = (POSTS if method == "post" else GETS)[path]
    fields = data.draw(
        st.fixed_dictionaries({}, optional={name: VALUES | st.lists(VALUES, max_size=3) for name in names})
    )
    response = getattr(client, method)(path, fields)
    assert response.status_code < 500
    if response.status_code in (301, 302):
        assert not urlsplit(response["Location"]).netloc


@pytest.mark.parametrize("path", list(POSTS))
@pytest.mark.parametrize(
    "kind", ["application/json", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"]
)
def test_a_body_that_is_no_form_is_answered(client: Client, path: str, kind: str) -> None:
    for body in [
        *BYTES,
        b"{}",
        b"[",
        b"a=%ff&b=%",
        b"--x\r\n\r\n",
        b'--x\r\nContent-Disposition: form-data; name="text"\r\n\r\n\xff\r\n--x--',
    ]:
        assert client.post(path, body, content_type=kind).status_code < 500


@with_client
@given(upload=st.binary(max_size=400) | st.sampled_from(BYTES), name=st.text(max_size=30))
def test_any_file_can_be_sent_as_a_solution(client: Client, upload: bytes, name: str) -> None:
    from django.core.files.uploadedfile import SimpleUploadedFile

    from labs.models import Submission

    Submission.objects.all().delete()
    file = SimpleUploadedFile(f"{name}.py", upload)
    response = client.post("/labs/checkpoint-function/send/", {"code": "x", "file": file, "do": "run"})
    assert response.status_code in (302, 422)
    if response.status_code == 302:
        assert bytes(Submission.objects.get().source) == upload
