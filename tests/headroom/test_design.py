"""The page of the design system: for staff alone, and complete."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.conf import settings
from django.test import Client

from accounts.models import User
from grader.timeline import LABELS
from headroom import design
from tests.courses.conftest import curriculum

__all__ = ["curriculum"]
ADDRESS = "/staff/design/"
PARTS = Path(settings.BASE_DIR) / "templates" / "components"
ELSEWHERE = {"about.html", "site_links.html", "person_links.html"}
"""Parts that every page shows, in its head and its bar."""


def staff_page(staff: User) -> str:
    client = Client()
    client.force_login(staff)
    answer = client.get(ADDRESS)
    assert answer.status_code == 200
    return answer.content.decode()


def test_a_visitor_and_a_member_are_sent_away(member: User) -> None:
    client = Client()
    assert client.get(ADDRESS).status_code == 302
    client.force_login(member)
    assert client.get(ADDRESS).status_code == 302


def test_it_shows_every_token_and_every_kind_of_memory(staff: User, curriculum: None) -> None:
    page = staff_page(staff)
    light, dark = design.tokens()
    assert len(light) > 20 and light.keys() == dark.keys()
    for name in light:
        assert f">--{name}<" in page, name
        assert light[name] in page and dark[name] in page
    for kind, words in LABELS.items():
        assert f'<i class="m-{kind}"></i>{words}' in page


@pytest.mark.parametrize("part", sorted(each.name for each in PARTS.glob("*.html") if each.name not in ELSEWHERE))
def test_it_draws_every_part_that_pages_are_made_of(part: str) -> None:
    """By its own template or through another part: a new part without its place here fails."""
    sources = [settings.BASE_DIR / "templates" / "design.html", *PARTS.glob("*.html")]
    assert any(re.search(rf'include "components/{part}"', each.read_text()) for each in sources if each.name != part)


def test_it_is_drawn_before_the_curriculum_is_loaded(staff: User) -> None:
    assert "The curriculum is not loaded" in staff_page(staff)


def test_contrast_is_that_of_wcag() -> None:
    assert design.contrast("#ffffff", "#000000") == pytest.approx(21)
    assert design.contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.005)
