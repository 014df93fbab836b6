"""What people type does nothing in anybody's browser: no script runs, no element of theirs is in a page.

The corpus (`tests/support/payloads.py`) goes into every field, and every page that shows it is opened in a browser.
That the content policy stopped something counts as a failure too: it is the second wall, and the first has to hold.
"""

from __future__ import annotations

import json
from html.parser import HTMLParser

import pytest
from django.core import mail
from django.test import Client
from django.urls import resolve
from playwright.sync_api import Browser

from tests.face.site import LAB, NUMBER, QUESTION
from tests.face.walk import VISITS
from tests.security.filling import ALL, WRITER, Filled, packed
from tests.security.watching import look, scan, watched
from tests.support.payloads import PAYLOADS

pytestmark = [pytest.mark.long, pytest.mark.timeout(900)]

TAKES_NO_WORDS = {"hidden", "checkbox", "radio", "submit", "button", "image", "reset", "date", "number"}
# Fields that show nothing of what is typed into them, or that no test types into: each with the reason.
LEFT_OUT = {
    ("account_reset_password_from_key", "password1"): "a password is shown to nobody",
    ("accounts:delete", "password"): "a password is shown to nobody",
    ("mfa_activate_totp", "code"): "six digits, or an error that does not repeat them",
    ("mfa_add_webauthn", "name"): "needs a key in hand; a name is stored beside one in filling._sign_in",
}


def test_the_corpus_is_large() -> None:
    assert len(set(PAYLOADS)) >= 200
    assert all("xss" in each or "alert" not in each for each in PAYLOADS)


class Forms(HTMLParser):
    """Collects (action, name) of every control that takes words."""

    def __init__(self) -> None:
        super().__init__()
        self.action: str | None = None
        self.found: set[tuple[str, str]] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "form":
            self.action = given.get("action", "")
        takes = tag == "textarea" or (tag == "input" and given.get("type", "text") not in TAKES_NO_WORDS)
        if takes and self.action is not None and given.get("name"):
            self.found.add((self.action, given["name"]))

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self.action = None


def test_every_field_on_every_page_was_tried(filled: Filled) -> None:
    missing: dict[tuple[str, str], str] = {}
    reflected = {
        ("search:search", "q"),
        *(("courses:calculator", name) for name in ("*",)),
    }
    for visit in VISITS:
        if visit.person == "staff":
            continue  # Django's own forms, for those who may do more than these do
        path = visit.address(filled.site)
        forms = Forms()
        forms.feed(filled.site.clients[visit.person].get(path).text)
        for action, name in forms.found:
            view = resolve((action or path).split("?")[0].split("#")[0]).view_name
            known = {(view, name), (view, "*")}
            if not known & (filled.fields | reflected | LEFT_OUT.keys()):
                missing[view, name] = path
    assert missing == {}


def test_most_of_the_corpus_was_taken(filled: Filled) -> None:
    """A site that refuses everything would pass the other tests."""
    from accounts.models import User
    from discussion.models import Comment, Report, Thread

    crowd = User.objects.filter(email__startswith="crowd")
    assert crowd.exclude(display_name="").count() > 200
    assert Comment.objects.filter(author__in=crowd, parent__isnull=False).count() > 200
    assert Thread.objects.filter(author__in=crowd).count() > 150
    assert Report.objects.exclude(words="").count() > 200


def test_nothing_that_is_kept_does_anything_where_it_is_shown(filled: Filled, browser: Browser) -> None:
    faults: dict[str, list[str]] = {}
    for person in dict.fromkeys(person for person, _ in filled.shown):
        context = filled.site.context(browser, person)
        page = watched(context)
        for path in (path for who, path in filled.shown if who == person):
            if found := look(page, f"{filled.site.url}{path}", there=True):
                faults[f"{person}: {path}"] = found[:5]
        context.close()
    assert faults == {}, json.dumps(faults, indent=1)


def test_nothing_that_comes_back_at_once_is_an_element(filled: Filled, browser: Browser) -> None:
    """Forms that were refused, with what was typed in them; parts of pages; and mails."""
    mails = [
        str(body) for each in mail.outbox for body, kind in getattr(each, "alternatives", []) if kind == "text/html"
    ]
    texts = [*dict.fromkeys(filled.answers), *mails]
    assert len(texts) > 200
    page = browser.new_page()
    faults = [found[:5] for found in scan(page, texts) if found]
    page.close()
    assert faults == []


QUERIES = (
    "/search/?q={}", "/calculators/kv-cache/?layers={}", "/calculators/kv-cache/?{}=1", "/plans/?interval={}",
    "/account/login/?next={}", "/account/signup/?next={}", f"/labs/{LAB}/?from={{}}", "/practise/review/?card={}",
    "/discussion/lesson/what-autograd-saves/?page={}", "/{}/", f"/questions/{QUESTION}/{{}}", "/labs/submissions/{}/",
    f"/labs/{LAB}/changes/?from={{}}&to={{}}", f"/practise/numbers/{NUMBER}{{}}/", "/account/confirm-email/{}/",
    "/account/password/reset/key/{}/", "/discussion/mail/stop/{}/",
)  # fmt: skip


@pytest.mark.parametrize("query", QUERIES)
def test_nothing_in_an_address_is_an_element(filled: Filled, browser: Browser, query: str) -> None:
    from urllib.parse import quote

    client = filled.site.clients[WRITER if "login" not in query and "signup" not in query else "visitor"]
    # a search is cut at 200 characters, and takes longer than the rest together if each payload is one
    texts = PAYLOADS if query.startswith("/calculators/kv-cache/?l") else packed(190 if "search" in query else 400)
    shown = []
    for text in texts:
        response = client.get(query.replace("{}", quote(text, safe="")))
        assert response.status_code < 500, text
        if response.status_code in (301, 302):
            assert response["Location"].startswith("/") and not response["Location"].startswith("//"), text
        elif response["Content-Type"].startswith("text/html"):
            shown.append(response.text)
    page = browser.new_page()
    faults = [found[:5] for found in scan(page, shown) if found]
    page.close()
    assert faults == []
    context = filled.site.context(browser, WRITER)
    page = watched(context)
    for text in packed(900)[:3]:
        assert look(page, f"{filled.site.url}{query.replace('{}', quote(text, safe=''))}") == []
    context.close()


ELSEWHERE = (
    "//xss.example/", "https://xss.example/", "javascript:xss()", "\\\\xss.example", "/\\xss.example",
    "https:xss.example",
    "http:///xss.example", "///xss.example", "\t//xss.example", "/\t/xss.example", "data:text/html,xss",
    "//xss.example\\@testserver/", "https://testserver@xss.example/", "https://testserver.xss.example/",
)  # fmt: skip


@pytest.mark.parametrize("next_", ELSEWHERE)
def test_signing_in_leads_to_no_other_site(filled: Filled, next_: str) -> None:
    """`next`, as an address of the page and as a field of the form."""
    from django.core.cache import cache

    for where in ("query", "form"):
        cache.clear()
        client = Client()
        path = "/account/login/"
        data = {"login": "writer@example.org", "password": "a long passphrase"}
        if where == "form":
            data["next"] = next_
        response = client.post(path, data, query_params={"next": next_} if where == "query" else None)
        assert response.status_code == 302
        assert "xss" not in response["Location"]


def test_what_is_data_is_never_read_as_a_page(filled: Filled) -> None:
    client = filled.site.clients[WRITER]
    submission = next(path for _, path in filled.shown if path.startswith("/labs/submissions/")).rstrip("/")
    for path in (f"{submission}/code.py", f"{submission}/timeline.csv", f"{submission}/timeline.svg"):
        response = client.get(path)
        assert response.status_code == 200
        assert response["Content-Disposition"].startswith("attachment"), path
        assert response["X-Content-Type-Options"] == "nosniff"
    for path in (f"{submission}.json", "/calculators/kv-cache/?format=json&layers=<script>xss()</script>"):
        response = client.get(path)
        assert response["Content-Type"] == "application/json", path
        assert response["X-Content-Type-Options"] == "nosniff"
    saved = client.post(f"/labs/{LAB}/draft/", {"text": f"{ALL} elsewhere", "revision": 99})
    assert saved.status_code == 409 and saved["Content-Type"] == "application/json"


def test_the_eyes_of_this_test_are_open(browser: Browser) -> None:
    page = browser.new_page()
    for bad in (
        "<p onclick=1>", "<a href=' javascript:1'>x</a>", "<script>xss</script>", "<iframe srcdoc=x>", "<i id=xss>",
        "<base href=/>", "<meta http-equiv=refresh content=0>", "<p hx-on:load=1>", "<svg><text>xss</text></svg>",
        "<a href='data:text/html,1'>x</a>", "<div hx-get=/ class=xss>", "<img src=xss>",
    ):  # fmt: skip
        assert scan(page, [bad])[0], bad
    good = '<p>xss() &lt;script&gt;<input value="xss"><a href="/x?xss">y</a><textarea><b onclick=xss></textarea>'
    assert scan(page, [good]) == [[]]
    page.close()
