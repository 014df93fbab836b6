"""What the content policy would block is in no template, and every page has what the base page promises."""

import re
from pathlib import Path

import pytest
from django.template.loader import get_template
from django.test import Client, RequestFactory

TEMPLATES = Path(__file__).resolve().parents[2] / "templates"
PAGES = [path for path in sorted(TEMPLATES.rglob("*.html")) if "mail" not in path.parts and "email" not in path.parts]
# What a template shows as text (code in a lesson's page is not in a template) does not look like an attribute.
FORBIDDEN = {
    "a style attribute": r"<[^>]+\sstyle\s*=",
    "a handler attribute": r"<[^>]+\son[a-z]+\s*=",
    "an htmx handler, which needs eval": r"<[^>]+\shx-on",
    "a javascript: address": r"javascript:",
    "a style element without a nonce": r"<style(?![^>]*nonce=)",
    "a script without a file or a nonce": r"<script(?![^>]*(?:\ssrc=|nonce=|type=.application/json))",
    "an address on another host": r"(?:src|href)=[\"']https?://",
}


@pytest.mark.parametrize("template", PAGES, ids=lambda path: str(path.relative_to(TEMPLATES)))
@pytest.mark.parametrize("what", FORBIDDEN)
def test_no_template_holds(what: str, template: Path) -> None:
    found = re.search(FORBIDDEN[what], template.read_text(), re.IGNORECASE)
    assert not found, f"{template.name} holds {what}: {found.group()}"


def render(name: str, path: str = "/nowhere/") -> str:
    request = RequestFactory().get(path)
    return get_template(name).render({}, request)


def test_the_page_for_a_broken_site_is_made_without_a_request_or_a_database() -> None:
    page = get_template("500.html").render()
    assert "Something broke on our side" in page
    assert "Sign in" not in page


@pytest.mark.django_db
def test_a_page_that_does_not_exist_says_so_and_where_to_go() -> None:
    answer = Client().get("/nowhere/at/all/")
    assert answer.status_code == 404
    page = answer.content.decode()
    assert "There is no page at this address" in page
    assert "/nowhere/at/all/" in page
    assert 'href="/labs/"' in page


def test_the_base_page_can_be_skipped_through_and_marks_where_one_is() -> None:
    page = render("404.html", "/labs/some-lab/")
    assert page.index('href="#content"') < page.index('<header class="bar">')
    assert 'id="content"' in page
    assert '<a href="/labs/" aria-current="page">Labs</a>' in page
    assert page.count("aria-current") == 2  # in the bar and in the menu of a phone


def test_signing_in_from_a_page_leads_back_to_it() -> None:
    assert "/account/login/?next=/labs/some-lab/" in render("404.html", "/labs/some-lab/")
