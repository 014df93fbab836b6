"""Health, headers and error pages."""

import re

import pytest
from django.db import connection
from django.test import Client


def directives(response) -> dict[str, list[str]]:
    policy = response["Content-Security-Policy"]
    return {name: sources for name, *sources in (part.split() for part in policy.split(";"))}


@pytest.mark.django_db
@pytest.mark.parametrize("path", ["/account/login/", "/healthz", "/no-such-page"])
def test_the_content_policy_is_strict_on_every_answer(client, path: str) -> None:
    policy = directives(client.get(path))
    assert policy["default-src"] == ["'self'"]
    assert policy["object-src"] == policy["frame-ancestors"] == ["'none'"]
    assert policy["base-uri"] == policy["form-action"] == ["'self'"]
    assert not re.search(r"unsafe|\*|data:|https?:", str(policy))


@pytest.mark.django_db
def test_a_page_may_run_what_bears_its_nonce_and_each_answer_has_another(client) -> None:
    first, second = (client.get("/account/login/") for _ in range(2))
    nonces = []
    for response in (first, second):
        policy = directives(response)
        for name in ("script-src", "style-src"):
            assert policy[name][0] == "'self'"
            assert re.fullmatch(r"'nonce-[A-Za-z0-9+/=]{24}'", policy[name][1])
        nonces.append(policy["script-src"][1])
    assert nonces[0] != nonces[1]


@pytest.mark.django_db
def test_security_headers(client) -> None:
    response = client.get("/account/login/")
    assert response["X-Frame-Options"] == "DENY"
    assert response["X-Content-Type-Options"] == "nosniff"
    assert response["Referrer-Policy"] == "same-origin"
    assert response["Cross-Origin-Opener-Policy"] == "same-origin"


def test_liveness_asks_nobody(client) -> None:
    # No database mark: a query would fail the test.
    response = client.get("/healthz")
    assert (response.status_code, response.text) == (200, "ok\n")
    assert "no-store" in response["Cache-Control"]


@pytest.mark.parametrize("host", ["10.0.0.7:8000", "127.0.0.1:8000", "nobody.example"])
def test_an_orchestrator_asks_by_whatever_address_it_has(client, settings, host: str) -> None:
    settings.ALLOWED_HOSTS = [".headroom.example"]
    for path in ("/healthz", "/metrics"):
        assert client.get(path, headers={"Host": host}).status_code == {"/healthz": 200, "/metrics": 404}[path]
    assert client.get("/account/login/", headers={"Host": host}).status_code == 400


def test_alive_and_not_ready_while_everything_is_away(client, settings, tmp_path, monkeypatch) -> None:
    nowhere = f"unix://{tmp_path}/none.sock"
    settings.CACHES = {"default": {"BACKEND": "headroom.cache.ForgivingRedisCache", "LOCATION": nowhere}}

    def broken(*args: object) -> None:
        raise OSError("the database went away")

    monkeypatch.setattr(connection, "cursor", broken)
    assert client.get("/healthz").status_code == 200
    answer = client.get("/readyz")
    assert (answer.status_code, answer.json()) == (503, {"database": False, "redis": False})
    assert "no-store" in answer["Cache-Control"]
    monkeypatch.undo()
    settings.CACHES = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}


@pytest.mark.django_db
def test_ready_when_database_and_redis_answer(client, settings, redis_url: str) -> None:
    settings.CACHES = {"default": {"BACKEND": "django.core.cache.backends.redis.RedisCache", "LOCATION": redis_url}}
    response = client.get("/readyz")
    assert (response.status_code, response.json()) == (200, {"database": True, "redis": True})


@pytest.mark.django_db
def test_not_ready_names_what_does_not_answer(client, settings, tmp_path, monkeypatch) -> None:
    nowhere = f"unix://{tmp_path}/none.sock"
    settings.CACHES = {"default": {"BACKEND": "django.core.cache.backends.redis.RedisCache", "LOCATION": nowhere}}
    response = client.get("/readyz")
    assert (response.status_code, response.json()) == (503, {"database": True, "redis": False})

    def broken(*args: object) -> None:
        raise OSError("the database went away")

    monkeypatch.setattr(connection, "cursor", broken)
    assert client.get("/readyz").json() == {"database": False, "redis": False}
    monkeypatch.undo()
    settings.CACHES = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}


@pytest.mark.django_db
def test_an_unknown_address_is_a_page_of_ours(client) -> None:
    response = client.get("/no-such-page")
    assert response.status_code == 404
    assert "Headroom</title>" in response.text


@pytest.mark.django_db
def test_a_form_without_its_token_is_refused_with_a_page_of_ours() -> None:
    response = Client(enforce_csrf_checks=True).post("/account/login/", {"login": "a@example.org", "password": "x"})
    assert response.status_code == 403
    assert "Headroom</title>" in response.text


@pytest.mark.django_db
def test_a_fault_of_ours_is_a_page_of_ours(client, monkeypatch) -> None:
    def broken(*args: object) -> None:
        raise RuntimeError("a fault")

    monkeypatch.setattr("allauth.account.forms.LoginForm.__init__", broken)
    client.raise_request_exception = False
    response = client.get("/account/login/")
    assert response.status_code == 500
    assert "Headroom</title>" in response.text
    assert "a fault" not in response.text


@pytest.mark.django_db
def test_times_are_shown_in_the_time_zone_of_who_reads_them(client, member) -> None:
    from datetime import UTC, datetime

    member.grants.create(until=datetime(2999, 1, 31, 23, tzinfo=UTC), reason="test")
    for zone, day in [("UTC", "31 January 2999"), ("Asia/Tokyo", "1 February 2999"), ("Mars/Olympus", "31 January")]:
        member.timezone = zone
        member.save()
        client.force_login(member)
        assert day in client.get("/account/").text
