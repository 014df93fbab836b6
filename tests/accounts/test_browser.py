"""What needs a browser: passkeys, with an authenticator that the browser itself plays."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect
from pytest_django.live_server_helper import LiveServer

from accounts.models import User


@pytest.fixture
def page(browser: Browser, live_server: LiveServer, member: User) -> Iterator[Page]:
    """A page of a visitor whose machine has an authenticator. Passkeys belong to names, so the address is localhost."""
    context = browser.new_context(base_url=live_server.url.replace("127.0.0.1", "localhost"))
    opened = context.new_page()
    devtools = context.new_cdp_session(opened)
    devtools.send("WebAuthn.enable")
    given = {
        "protocol": "ctap2", "transport": "internal", "hasResidentKey": True, "hasUserVerification": True,
        "isUserVerified": True, "automaticPresenceSimulation": True,
    }  # fmt: skip
    devtools.send("WebAuthn.addVirtualAuthenticator", {"options": given})
    faults: list[str] = []
    opened.on("console", lambda message: faults.append(message.text) if message.type == "error" else None)
    opened.on("pageerror", lambda error: faults.append(str(error)))
    yield opened
    context.close()
    assert faults == []


def test_a_passkey_is_added_and_signs_in_without_a_password(page: Page, member: User) -> None:
    page.goto("/account/login/?next=/account/2fa/webauthn/add/")
    page.get_by_label("Email").fill(member.email)
    page.get_by_label("Password").fill("a long passphrase")
    page.get_by_role("button", name="Sign in", exact=True).click()
    expect(page.get_by_role("heading", name="Confirm that it is you")).to_be_visible()
    page.get_by_label("Password").fill("a long passphrase")
    page.get_by_role("button", name="Confirm").click()
    page.get_by_label("Name").fill("My laptop")
    page.get_by_label("Passwordless").check()
    page.get_by_role("button", name="Add it").click()
    # The authenticator answers by script: only then is the form sent, and going elsewhere earlier would cut it off.
    page.wait_for_url(lambda url: "/webauthn/add/" not in url)
    page.goto("/account/2fa/webauthn/")
    expect(page.get_by_role("rowheader", name="My laptop")).to_be_visible()
    expect(page.get_by_role("cell", name="Passkey")).to_be_visible()

    page.goto("/account/logout/")
    page.get_by_role("button", name="Sign out").click()
    page.goto("/account/login/?next=/account/")
    page.get_by_role("button", name="Sign in with a passkey").click()
    page.wait_for_url("**/account/")
    expect(page.get_by_text(member.email)).to_be_visible()
