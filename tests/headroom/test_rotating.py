"""What docs/operating.md says of new secrets: who is signed out, what stays, and what works no more."""

from __future__ import annotations

import re
from pathlib import Path

import psycopg
import pytest
from django.core import mail
from django.test import Client

from accounts.models import User
from tests.support import postgres, required

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "operating.md").read_text()
PASSWORD = "a long passphrase"


def test_a_new_secret_key_signs_everyone_out_and_keeps_passwords(client: Client, member: User, settings) -> None:
    client.force_login(member)
    Client().post("/account/password/reset/", {"email": member.email})
    link = re.search(r"http://testserver(/\S+)", mail.outbox[-1].body)
    assert link and client.get("/account/").status_code == 200
    settings.SECRET_KEY = "n" * 60
    assert client.get("/account/").status_code == 302, "the session was signed with the old key"
    assert "This link no longer works" in Client().get(link[1], follow=True).text
    again = client.post("/account/login/", {"login": member.email, "password": PASSWORD})
    assert again.status_code == 302
    assert client.get("/account/").status_code == 200


def test_a_new_password_of_the_database_lets_in_who_has_it_and_keeps_open_connections() -> None:
    statement = re.search(r"`(ALTER ROLE headroom PASSWORD )'…'`", PAGE)
    assert statement, "docs/operating.md does not say how the database's password is changed"
    try:
        with postgres.serving() as server:
            with psycopg.connect(server.url, autocommit=True) as trusted:
                trusted.execute(f"{statement[1]}'the first'")
                (server.folder / "data" / "pg_hba.conf").write_text("local all all scram-sha-256\n")
                trusted.execute("SELECT pg_reload_conf()")
            with psycopg.connect(server.url, password="the first", autocommit=True) as open_one:
                open_one.execute(f"{statement[1]}'the second'")
                with pytest.raises(psycopg.OperationalError, match="password"):
                    psycopg.connect(server.url, password="the first")
                with psycopg.connect(server.url, password="the second") as new:
                    assert new.execute("SELECT 1").fetchone() == (1,)
                assert open_one.execute("SELECT 1").fetchone() == (1,)
    except postgres.NotAvailable as missing:
        pytest.fail(str(missing)) if required("postgres") else pytest.skip(str(missing))
