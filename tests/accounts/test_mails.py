"""Every mail has a text and an HTML part that hold the same links; nothing in it is fetched, and names stay words."""

from __future__ import annotations

import ast
import re
from html.parser import HTMLParser
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from django.core import mail
from django.core.mail import EmailMultiAlternatives
from django.test import Client
from django.utils import timezone

from accounts import mailing

ROOT = Path(__file__).resolve().parents[2]
TEMPLATES = ROOT / "templates"
FRAMES = {"base_message.txt"}
NAMES = sorted(
    str(path.relative_to(TEMPLATES)).removesuffix("_message.txt")
    for path in TEMPLATES.rglob("email/*_message.txt")
    if path.name not in FRAMES
)
EVIL = "<b>Ada</b> & Co"
# One value for everything that any mail names: a link each that can be told apart, and text that would be markup.
CONTEXT: dict[str, Any] = {
    **{name: f"https://site.test/{name}/?a=1&b=2" for name in ("activate_url", "password_reset_url", "signup_url")},
    **{name: f"https://site.test/{name}/" for name in ("reply_url", "stop")},
    **dict.fromkeys(("email", "who", "provider", "user_agent", "from_email", "to_email", "deleted_email"), EVIL),
    "ip": "192.0.2.1",
    "timestamp": timezone.now(),
    "thread": SimpleNamespace(title=EVIL),
    "place": SimpleNamespace(title=EVIL),
}


class Seen(HTMLParser):
    """What an HTML mail links to, what it would fetch, and its elements."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.links: set[str] = set()
        self.fetched: list[str] = []
        self.tags: set[str] = set()
        self.words = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.tags.add(tag)
        if tag == "a":
            self.links.add(given.get("href") or "")
        self.fetched += [value or "" for name, value in attrs if name in ("src", "srcset", "background", "data")]
        self.fetched += re.findall(r"url\(|@import", given.get("style") or "")

    def handle_data(self, data: str) -> None:
        self.words += data


def parts(message: Any) -> tuple[str, Seen]:
    """Return the text and what is in the HTML of a mail that must have both."""
    assert isinstance(message, EmailMultiAlternatives)
    [(html, kind)] = message.alternatives
    assert kind == "text/html"
    assert not re.search(r"url\(|@import|<img|<link", html)
    return str(message.body), Seen(html)


def assert_sound(message: Any) -> None:
    text, html = parts(message)
    assert set(re.findall(r"https?://\S+", text)) == html.links and html.links
    assert html.fetched == []
    assert not {"img", "link", "script", "form"} & html.tags
    # a paragraph of the text that is no link is a paragraph of the HTML too
    for paragraph in filter(None, text.split("\n\n")[:-1]):
        if "://" not in paragraph and not paragraph.endswith(":"):
            assert paragraph.strip() in html.words
    assert message.subject in html.words


def test_there_are_mails() -> None:
    assert len(NAMES) >= 15
    assert {"account/email/deleted", "discussion/email/reply", "mfa/email/totp_activated"} <= set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_a_mail_has_both_parts_and_they_agree(name: str) -> None:
    message = mailing.message(name, CONTEXT, ["ada@example.org"])
    assert_sound(message)
    text, html = parts(message)
    assert "b" not in html.tags
    source = (TEMPLATES / f"{name}_message.txt").read_text()
    wanted = {value for key, value in CONTEXT.items() if f"url={key} " in source}
    assert wanted <= html.links and ("{% include" not in source or wanted)
    if EVIL in message.body:
        assert EVIL in html.words
    assert "&amp;" not in text + message.subject


@pytest.mark.django_db
def test_what_the_site_sends_has_both_parts(client: Client) -> None:
    """One mail of each way to send: allauth's own, a notice of it, and ours."""
    words = {"password1": "a long passphrase", "password2": "a long passphrase"}
    client.post("/account/signup/", {"email": "new@example.org", "display_name": "New", **words})
    client.post("/account/password/reset/", {"email": "new@example.org"})
    client.post("/account/password/reset/", {"email": "nobody@example.org"})
    client.post(
        "/account/password/change/",
        {"oldpassword": "a long passphrase", "password1": "a longer passphrase", "password2": "a longer passphrase"},
    )
    assert [message.subject for message in mail.outbox] == [
        "Confirm your email address for Headroom",
        "Choose a new password for Headroom",
        "No account at Headroom with this address",
        "Your Headroom password was changed",
    ]
    for message in mail.outbox:
        assert_sound(message)


def test_no_mail_is_sent_another_way() -> None:
    """Whoever sends mails has them from `accounts.mailing`."""
    senders = {"send_mail", "send_mass_mail", "mail_admins", "mail_managers", "EmailMultiAlternatives"}
    found = set()
    for package in (
        "accounts",
        "billing",
        "courses",
        "discussion",
        "headroom",
        "labs",
        "notes",
        "pages",
        "practice",
        "search",
    ):
        for path in (ROOT / package).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text())):
                called = getattr(node.func, "id", getattr(node.func, "attr", "")) if isinstance(node, ast.Call) else ""
                if called in senders | {"EmailMessage", "email_user"}:
                    found.add(str(path.relative_to(ROOT)))
    assert found == {"accounts/mailing.py"}
