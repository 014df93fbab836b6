"""Two ways to show pages: one template and the built files under the site's content policy, without a server (`stage`);
and the whole site with its real content (`site`), loaded once for all tests that ask for it."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import pytest
from django.template import engines
from django.test import RequestFactory
from playwright.sync_api import Browser, Page, Route
from pytest_django.plugin import DjangoDbBlocker

from tests.face.site import Site, served

BUILD = Path(__file__).resolve().parents[2] / "assets" / "build"
SITE = "http://headroom.test"
NONCE = "for-tests"
POLICY = (
    f"default-src 'self'; script-src 'self' 'nonce-{NONCE}'; style-src 'self' 'nonce-{NONCE}'; "
    "object-src 'none'; base-uri 'self'; frame-ancestors 'none'; form-action 'self'"
)
TYPES = {".js": "text/javascript", ".css": "text/css", ".woff2": "font/woff2", ".svg": "image/svg+xml"}
Answer = Callable[[dict[str, str]], tuple[int, Any]]


class Stage:
    """A browser page that shows `content` inside base.html; `answers` maps a path to what the site says there."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.answers: dict[str, Answer] = {}
        self.sent: list[tuple[str, dict[str, str]]] = []
        self.complaints: list[str] = []
        self._html = ""
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("console", lambda message: self.complaints.append(message.text) if message.type == "error" else None)
        page.route(f"{SITE}/**", self._serve)

    def show(self, content: str, scripts: list[str], **context: Any) -> Page:
        """Render and open the page."""
        modules = "".join(f'<script type="module" src="/static/{name}"></script>' for name in scripts)
        source = (
            '{% extends "base.html" %}{% load static %}'
            f"{{% block content %}}{content}{{% endblock %}}{{% block scripts %}}{modules}{{% endblock %}}"
        )
        request = RequestFactory().get("/labs/some-lab/")
        request.csp_nonce = NONCE  # type: ignore[attr-defined]
        self._html = engines["django"].from_string(source).render(context, request)
        self.page.goto(f"{SITE}/labs/some-lab/")
        return self.page

    def _serve(self, route: Route) -> None:
        request = route.request
        path, _, query = request.url.removeprefix(SITE).partition("?")
        if path.startswith("/static/"):
            file = BUILD / path.removeprefix("/static/")
            route.fulfill(body=file.read_bytes(), content_type=TYPES[file.suffix])
        elif path in self.answers:
            body = request.post_data or query
            fields = {name: values[-1] for name, values in parse_qs(body, keep_blank_values=True).items()}
            self.sent.append((path, fields))
            status, data = self.answers[path](fields)
            route.fulfill(status=status, body=json.dumps(data), content_type="application/json")
        else:
            route.fulfill(
                body=self._html, content_type="text/html; charset=utf-8", headers={"Content-Security-Policy": POLICY}
            )


@pytest.fixture
def stage(browser: Browser) -> Iterator[Stage]:
    """A page under the content policy that must end without a complaint in its console."""
    context = browser.new_context(viewport={"width": 1200, "height": 900}, accept_downloads=True)
    made = Stage(context.new_page())
    yield made
    context.close()
    assert made.complaints == []


@pytest.fixture(scope="package")
def db(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    """The database, in which rows stay from test to test. pytest-django makes it for tests with a fixture so named."""
    with django_db_blocker.unblock():
        yield


@pytest.fixture(scope="package")
def site(browser: Browser, db: None, shared: Path) -> Iterator[Site]:
    """The whole site with its real content. Whoever writes does so as a person of their own."""
    with served(shared) as running:
        yield running
