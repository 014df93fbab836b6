"""Pages: what they show, what they cost, and calculators as page, link and JSON."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from accounts.access import Person
from accounts.models import User
from courses import calculators, progress
from courses.authoring.links import ADDRESSES
from courses.models import Lesson

pytestmark = pytest.mark.usefixtures("curriculum")

PAGES = [
    "/",
    "/course/",
    "/lessons/checkpointing/",
    "/lessons/saved-tensors/",
    "/questions/",
    "/questions/when-it-pays/",
    "/calculators/",
    "/calculators/time-to-train/",
]


@pytest.mark.parametrize("address", PAGES)
def test_a_page_takes_fewer_than_twelve_queries_besides_the_session(as_premium: Client, address: str) -> None:
    as_premium.post("/questions/when-it-pays/answer/", {"text": "an answer", "do": "submit"})
    with CaptureQueriesContext(
        connection,
    ) as queries:
        assert as_premium.get(address).status_code == 200
    asked = [query["sql"][:160] for query in queries if 'FROM "django_session"' not in query["sql"]]
    assert len(asked) < 12, "\n".join(asked)


@pytest.mark.parametrize("kind", ["lesson", "question", "calculator"])
def test_pages_link_to_the_addresses_that_there_are(kind: str) -> None:
    assert ADDRESSES[kind].format("some-id") == reverse(f"courses:{kind}", args=["some-id"])


def test_pages_link_to_the_labs() -> None:
    assert ADDRESSES["lab"].format("some-lab") == reverse("labs:lab", args=["some-lab"])


def test_reading_is_noted_once_and_shown(as_member: Client, member: User) -> None:
    for _ in range(2):
        as_member.post("/lessons/saved-tensors/read/")
    assert "You have read this lesson." in as_member.get("/lessons/saved-tensors/").content.decode()
    assert [each.lesson.slug for each in progress.lately(member).read] == ["saved-tensors"]
    lessons = list(Lesson.objects.all())
    assert progress.next_lesson(Person.of(member), lessons, progress.read_ids(member)).slug == "open-lesson"


def test_a_visitor_who_has_read_is_asked_to_sign_in_and_comes_back(visitor: Client) -> None:
    response = visitor.post("/lessons/open-lesson/read/")
    assert response["Location"] == "/account/login/?next=%2Flessons%2Fopen-lesson%2F"


def test_home_shows_the_first_lessons_a_calculator_and_where_one_was(as_member: Client) -> None:
    assert as_member.get("/").context["go_on"] is None
    as_member.post("/lessons/saved-tensors/read/")
    page = as_member.get("/")
    assert page.context["go_on"].slug == "open-lesson"
    assert [lesson.slug for lesson in page.context["lessons"]] == ["saved-tensors", "open-lesson", "checkpointing"]
    body = page.content.decode()
    assert 'data-calculator="time-to-train"' in body and "Two blocks, measured." in body


def test_a_lesson_leads_to_what_is_before_and_after(as_premium: Client) -> None:
    context = as_premium.get("/lessons/open-lesson/").context
    assert (context["before"].slug, context["after"].slug) == ("saved-tensors", "checkpointing")


def test_no_page_holds_inline_style_or_script(as_premium: Client) -> None:
    for address in PAGES:
        body = as_premium.get(address).content.decode()
        assert " style=" not in body and " onclick=" not in body
        assert all('type="application/json"' in tag or "src=" in tag for tag in body.split("<script")[1:])


@pytest.fixture
def inputs() -> dict[str, str]:
    calculator = calculators.get("time-to-train")
    return {field.name: str(field.default) for field in calculator.fields if not field.optional}


def test_a_calculator_computes_from_its_address(visitor: Client, inputs: dict[str, str]) -> None:
    figures = calculators.get("time-to-train").compute(inputs).figures
    page = visitor.get("/calculators/time-to-train/", inputs).content.decode()
    assert figures[0].display in page


def test_a_calculator_answers_as_json(visitor: Client, inputs: dict[str, str]) -> None:
    figures = calculators.get("time-to-train").compute(inputs).figures
    for body in (
        visitor.get("/calculators/time-to-train/", inputs, headers={"Accept": "application/json"}).json(),
        visitor.get("/calculators/time-to-train/", {**inputs, "format": "json"}).json(),
    ):
        assert body["figures"][0]["value"] == figures[0].value
        assert body["establishes"] and body["to_measure"]


def test_a_browser_gets_a_page_not_json(visitor: Client) -> None:
    accept = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
    response = visitor.get("/calculators/time-to-train/", headers={"Accept": accept})
    assert response["Content-Type"].startswith("text/html")


def test_impossible_input_says_why_in_place(visitor: Client, inputs: dict[str, str]) -> None:
    name = next(iter(inputs))
    response = visitor.get("/calculators/time-to-train/", {**inputs, name: "9**9**9"})
    assert response.status_code == 422
    page = response.content.decode()
    assert "9**9**9" in page and f'data-error-for="{name}">' in page
    errors = visitor.get("/calculators/time-to-train/", {**inputs, name: "9**9**9", "format": "json"}).json()["errors"]
    assert list(errors) == [name]


def test_an_unknown_input_is_named(visitor: Client) -> None:
    response = visitor.get("/calculators/time-to-train/", {"nonsense": "1"})
    assert response.status_code == 422 and "There is no such input" in response.content.decode()


def test_every_calculator_has_a_page(visitor: Client) -> None:
    listed = visitor.get("/calculators/").content.decode()
    for calculator in calculators.all_calculators():
        assert f"/calculators/{calculator.id}/" in listed
        assert visitor.get(f"/calculators/{calculator.id}/").status_code == 200
    assert visitor.get("/calculators/nothing/").status_code == 404


def test_an_empty_site_says_what_loads_it(visitor: Client) -> None:
    Lesson.objects.update(retired=True)
    assert "content sync" in visitor.get("/course/").content.decode()
