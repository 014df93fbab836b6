"""Walks the site as one person, and writes down which sentences it was given where."""

from __future__ import annotations

import io
import re
import zipfile
from collections import Counter, defaultdict, deque
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any
from urllib.parse import parse_qsl, urlencode, urljoin, urlsplit

from django.test import Client

from tests.crawl.book import MARK

HOST = "http://testserver"
VARIANTS = 4
"""How many addresses that differ only in the values of their query are opened, of those that links lead to."""

NOTHING_HERE = (301, 302, 404)
"""Answers that hold nothing, so that asking for them in another form is idle."""

UNTOUCHED = re.compile(r"^/(static/|account/logout/|staff/logout/|staff/jsi18n/)")
"""Leaving would end the walk; what is static is the same for everyone."""


def _texts(content: bytes) -> list[str]:
    """Return what can be read of an answer: of an archive, each of its files."""
    if content.startswith(b"PK"):
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            return [archive.read(name).decode("utf-8", "replace") for name in archive.namelist()]
    return [content.decode("utf-8", "replace")]


class _Page(HTMLParser):
    """The links of a page and the forms that are sent by GET."""

    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.forms: list[tuple[str, dict[str, str], list[str]]] = []
        self._form: tuple[str, dict[str, str], list[str]] | None = None
        self._select = ""
        self._calculates = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        for name in ("href", "src", "hx-get", "data-src", "data-url"):
            if given.get(name, "").startswith(("/", "http", "?", ".")):
                self.links.append(given[name])
        if tag == "meta" and given.get("content", "").startswith("http"):
            self.links.append(given["content"])
        if tag == "form":
            if given.get("method", "get").lower() == "get":
                self._form = (given.get("action", ""), {}, [])
                self.forms.append(self._form)
                self._calculates = "data-calculator" in given
        elif self._form and tag == "select":
            self._select = given.get("name", "")
        elif self._form and tag == "option" and self._select:
            self._form[1].setdefault(self._select, given.get("value", ""))
        elif self._form and tag in ("input", "textarea") and given.get("name"):
            self._form[1][given["name"]] = given.get("value", "")
            # A calculator's fields are for numbers and search nothing: it is sent once, as it stands.
            if given.get("type", "text") in ("text", "search") and not given.get("value") and not self._calculates:
                self._form[2].append(given["name"])

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self._form = None
        elif tag == "select":
            self._select = ""


@dataclass
class Crawler:
    """One person's walk. `seen` says for each sentence's mark where it was found.

    `baits` are typed into every empty text field of every search form.
    """

    client: Client
    baits: list[str]
    seen: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    statuses: Counter[int] = field(default_factory=Counter)
    requests: int = 0
    only_post: list[str] = field(default_factory=list)
    archives: set[str] = field(default_factory=set)
    _queue: deque[str] = field(default_factory=deque)
    _known: set[str] = field(default_factory=set)
    _there: set[str] = field(default_factory=set)
    _variants: Counter[tuple[str, ...]] = field(default_factory=Counter)

    @property
    def pages(self) -> int:
        """How many different addresses were opened."""
        return len(self._known)

    def walk(self, addresses: list[str]) -> None:
        """Open `addresses` and everything that they lead to, as a browser, as htmx and as a reader of JSON."""
        for address in addresses:
            self._add(address)
        while self._queue:
            address = self._queue.popleft()
            response = self._get(address)
            if response.status_code == 405:
                self.only_post.append(address)
                continue
            if "?" not in address and not address.startswith("/staff/") and response.status_code not in NOTHING_HERE:
                self._there.add(address)
                self._get(address, HTTP_HX_REQUEST="true")
                self._get(address, HTTP_ACCEPT="application/json")
            self._follow(address, response)

    def send(self, body: dict[str, Any]) -> None:
        """Send `body` to every address that takes only POST, as a form and by htmx; then open again what is there."""
        for address in self.only_post:
            for how in ({}, {"HTTP_HX_REQUEST": "true"}):
                response = self.client.post(address, body, follow=True, **how)
                self._note(f"POST {address}", response)
                if response.status_code == 404:
                    break
        for address in sorted(self._there):
            self._get(address)

    def _get(self, address: str, **headers: str) -> Any:
        response = self.client.get(address, **headers)
        self._note(address, response)
        if 300 <= response.status_code < 400:
            self._add(response["Location"], address)
        return response

    def _note(self, address: str, response: Any) -> None:
        self.requests += 1
        self.statuses[response.status_code] += 1
        content = b"".join(response.streaming_content) if response.streaming else response.content
        texts = [*_texts(content), *(str(value) for value in response.headers.values())]
        if content.startswith(b"PK"):
            self.archives.add(address)
        for mark in {found for text in texts for found in MARK.findall(text)}:
            self.seen[mark].add(address)

    def _follow(self, address: str, response: Any) -> None:
        if response.streaming or "ml" not in response.get("Content-Type", ""):
            return
        text = response.content.decode("utf-8", "replace")
        page = _Page()
        page.feed(text)
        page.links += re.findall(r"<(?:loc|link|guid|id)>\s*(\S+?)\s*</", text)
        for link in page.links:
            self._add(link, address)
        for action, fields, empty in page.forms:
            target = urlsplit(urljoin(address, action)).path
            self._add(f"{target}?{urlencode(fields)}", address)
            if target.startswith("/staff/"):
                continue
            for name in empty:
                for bait in self.baits:
                    self._add(f"{target}?{urlencode(fields | {name: bait})}", address, every=True)

    def _add(self, link: str, base: str = "/", *, every: bool = False) -> None:
        parts = urlsplit(urljoin(HOST + base, link))
        if f"{parts.scheme}://{parts.netloc}" != HOST or UNTOUCHED.match(parts.path):
            return
        query = sorted(parse_qsl(parts.query, keep_blank_values=True))
        # The lists of the staff pages sort and filter themselves into countless addresses with the same rows.
        if query and parts.path.startswith("/staff/"):
            return
        address = f"{parts.path}?{urlencode(query)}" if query else parts.path
        if address in self._known:
            return
        if query and not every:
            kind = (parts.path, *(name for name, _ in query))
            self._variants[kind] += 1
            if self._variants[kind] > VARIANTS:
                return
        self._known.add(address)
        self._queue.append(address)
