"""The page of search, and the part of it for htmx."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts.models import User
from courses.models import Lesson, Section
from search.indexing import rebuild
from search.models import Entry
from tests.courses.conftest import curriculum  # noqa: F401

pytestmark = pytest.mark.django_db
FEWER_THAN = 12


def person(name: str, days: float | None = None) -> Client:
    user = User.objects.create_user(f"{name}@example.org")
    if days is not None:
        user.grants.create(until=timezone.now() + timedelta(days=days), reason="test")
    client = Client()
    client.force_login(user)
    return client


def test_loading_the_curriculum_fills_the_index(curriculum: None) -> None:  # noqa: F811
    page = Client().get("/search/", {"q": "Everyone may read"}).text
    assert 'href="/lessons/saved-tensors/"' in page and "<mark>Everyone</mark>" in page
    assert Entry.objects.filter(kind="term", title="saved tensor", text__startswith="Kept for backward").exists()
    assert Entry.objects.filter(kind="lab").count() > 5 and Entry.objects.filter(kind="calculator").count() > 5


@pytest.mark.usefixtures("index")
@pytest.mark.parametrize("how", [{}, {"HTTP_HX_REQUEST": "true"}])
@pytest.mark.parametrize("who", ["visitor", "free", "lapsed", "premium"])
def test_the_page_says_no_more_than_may_be_read(who: str, how: dict[str, str]) -> None:
    clients = {
        "visitor": Client,
        "free": lambda: person("free"),
        "lapsed": lambda: person("lapsed", -1),
        "premium": lambda: person("premium", 1),
    }
    client = clients[who]()
    page = client.get("/search/", {"q": "memory allocator segments"}, **how).text
    assert ("premiumlocked" in page) == (who == "premium")
    assert ("freelocked" in page) == (who != "visitor")
    assert "openlocked" in page
    named = client.get("/search/", {"q": "checkpointing premium"}, **how).text
    assert 'href="/lessons/premium-lesson/"' in named
    assert ("opens with premium" in named) == (who != "premium")


@pytest.mark.usefixtures("index")
def test_to_htmx_only_the_results_are_sent() -> None:
    part = Client().get("/search/", {"q": "checkpointing"}, HTTP_HX_REQUEST="true").text
    whole = Client().get("/search/", {"q": "checkpointing"}).text
    assert "<html" not in part and part.strip() in whole


@pytest.mark.usefixtures("index")
def test_what_was_typed_and_what_stands_in_pages_is_escaped() -> None:
    Section.objects.filter(lesson__slug="open-lesson", slug="the-concept").update(
        text="Of <img src=x onerror=alert(1)>"
    )
    Lesson.objects.filter(slug="open-lesson").update(title="<i>Italic</i> & more")
    rebuild()
    for typed in ("onerror", "italic", '"><script>alert(1)</script>', "<img src=x> onerror"):
        page = Client().get("/search/", {"q": typed}).text
        assert "<img" not in page and "<i>" not in page and "<script>alert" not in page


@pytest.mark.usefixtures("index")
@pytest.mark.parametrize("typed", ["checkpointing", "chekpointing premum", "nothing of this kind", ""])
def test_a_search_takes_few_queries(typed: str) -> None:
    client = person("premium", 1)
    with CaptureQueriesContext(connection) as captured:
        assert client.get("/search/", {"q": typed}).status_code == 200
    assert len(captured) < FEWER_THAN, [query["sql"][:150] for query in captured]


def test_zero_bytes_and_long_queries_are_no_trouble() -> None:
    for typed in ("a\x00b", "x" * 10_000):
        assert Client().get("/search/", {"q": typed}).status_code == 200
    assert Client().post("/search/").status_code == 405
