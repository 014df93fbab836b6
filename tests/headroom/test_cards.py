"""The picture beside a shared link: each page names its own, it is there, and every title fits on it."""

from __future__ import annotations

from io import BytesIO

import pytest
from django.test import Client
from PIL import Image

from courses import calculators
from courses.authoring.files import read_folder
from courses.management.commands.content import CONTENT
from grader import catalog
from headroom import card_pages, cards
from tests.courses.conftest import curriculum
from tests.headroom.test_about import PAGES, head_of

__all__ = ["curriculum"]

OWN = {
    "/lessons/open-lesson/": "/cards/lessons/open-lesson.png",
    "/lessons/checkpointing/": "/cards/lessons/checkpointing.png",
    "/questions/when-it-pays/": "/cards/questions/when-it-pays.png",
    "/calculators/kv-cache/": "/cards/calculators/kv-cache.png",
    "/labs/checkpoint-function/": "/cards/labs/checkpoint-function.png",
}


@pytest.mark.usefixtures("curriculum")
@pytest.mark.parametrize("path", PAGES)
def test_a_page_names_a_card_that_is_there(path: str, settings) -> None:
    settings.SITE_URL = "https://headroom.example"
    head = head_of(path)
    assert head["twitter:card"] == "summary_large_image" and head["og:image:alt"]
    address = head["og:image"].removeprefix("https://headroom.example")
    assert address.partition("?")[0] == OWN.get(path, "/cards/home.png")
    answer = Client().get(address)
    assert answer["Content-Type"] == "image/png" and "public" in answer["Cache-Control"]
    shown = Image.open(BytesIO(answer.content))
    assert shown.size == (1200, 630) == (int(head["og:image:width"]), int(head["og:image:height"]))


@pytest.mark.usefixtures("curriculum")
@pytest.mark.parametrize(
    "path", ["lessons/none", "questions/none", "calculators/none", "labs/none", "lessons/a/b", "x/y"]
)
def test_what_is_no_page_has_no_card(path: str) -> None:
    assert Client().get(f"/cards/{path}.png").status_code == 404


def test_a_new_title_has_a_new_address_and_another_picture() -> None:
    one, other = (card_pages.address("/lessons/a/", title) for title in ("Recompute", "Keep"))
    assert one.partition("?")[0] == other.partition("?")[0] == "/cards/lessons/a.png" and one != other
    assert cards.png("Lesson", "Recompute") != cards.png("Lesson", "Keep") != cards.png("Lab", "Keep")


def titles() -> list[str]:
    """Return every title that the site can put on a card."""
    folder = read_folder(CONTENT)
    pages = [page.meta["title"] for page in (*folder.lessons, *folder.questions)]
    return [*pages, *(lab.title for lab in catalog.all_labs()), *(each.title for each in calculators.all_calculators())]


def test_every_title_fits_and_the_font_has_its_signs() -> None:
    font, shown = cards.font(76, 600), titles()
    assert len(shown) > 100
    missing = font.getmask("\uffff").getbbox(), bytes(font.getmask("\uffff"))
    for title in shown:
        size, lines = cards.fitted(title)
        assert "…" not in lines[-1] and all(cards.font(size, 600).getlength(line) <= 1056 for line in lines), title
        for sign in set(title) - {" "}:
            assert (font.getmask(sign).getbbox(), bytes(font.getmask(sign))) != missing, (sign, title)


def test_a_title_that_is_far_too_long_is_cut_short() -> None:
    size, lines = cards.fitted("very long words " * 40)
    assert (size, len(lines)) == cards.ROOM[-1] and lines[-1].endswith("…")
