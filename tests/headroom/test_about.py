"""What public pages say of themselves: a description, one canonical address, and a card without secrets."""

from __future__ import annotations

import re
from html import unescape

import pytest
from django.test import Client

from tests.courses.conftest import curriculum

__all__ = ["curriculum"]
pytestmark = pytest.mark.usefixtures("curriculum")

PAGES = [
    "/",
    "/course/",
    "/lessons/open-lesson/",
    "/lessons/checkpointing/",
    "/questions/",
    "/questions/when-it-pays/",
    "/calculators/",
    "/calculators/kv-cache/",
    "/labs/",
    "/labs/checkpoint-function/",
    "/practise/",
    "/practise/numbers/",
    "/practise/numbers/kv-bytes-a-token/",
    "/practise/review/",
    "/practise/mock/",
    "/plans/",
    "/account/login/",
    "/account/signup/",
    "/account/password/reset/",
]


def head_of(path: str) -> dict[str, str]:
    """Return the named meta elements of a page as a visitor gets it, and its canonical address. Each stands once."""
    page = Client().get(path).content.decode().partition("</head>")[0]
    found = re.findall(r'<meta (?:name|property)="([^"]+)" content="([^"]*)"', page)
    assert len(found) == len(dict(found)), found
    canonical = re.findall(r'<link rel="canonical" href="([^"]+)"', page)
    return {name: unescape(value) for name, value in found} | {"canonical": " ".join(canonical)}


@pytest.mark.parametrize("path", PAGES)
def test_a_public_page_says_what_it_is(path: str, settings) -> None:
    settings.SITE_URL = "https://headroom.example"
    head = head_of(f"{path}?utm_source=elsewhere")
    assert head["canonical"] == head["og:url"] == f"https://headroom.example{path}"
    assert 10 < len(head["description"]) <= 300
    assert head["og:description"] == head["description"]
    assert head["og:title"] and head["og:site_name"] == "Headroom"
    assert head["og:type"] == ("article" if path.count("/") == 3 and path.split("/")[1] in KINDS else "website")


KINDS = ("lessons", "questions", "labs")


def test_no_two_pages_say_the_same() -> None:
    said = [head_of(path)["description"] for path in PAGES]
    assert len(set(said)) == len(said)


def test_the_card_of_a_locked_lesson_holds_its_summary_and_nothing_that_is_locked() -> None:
    page = Client().get("/lessons/checkpointing/").content.decode()
    assert "PREMIUM-SECRET" not in page
    assert head_of("/lessons/checkpointing/")["og:description"] in unescape(page.partition("<main")[2])


@pytest.mark.parametrize("path", ["/no-such-page/", "/search/?q=x"])
def test_what_is_no_page_of_its_own_has_no_canonical_address(path: str) -> None:
    assert head_of(path)["canonical"] == ""
