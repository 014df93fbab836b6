"""Settings in their modes, each read in a process of its own."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PRODUCTION = {
    "HEADROOM_MODE": "production",
    "SECRET_KEY": "kept-secret-" + "".join(chr(97 + n % 26) for n in range(60)),
    "ALLOWED_HOSTS": "headroom.example",
    "DATABASE_URL": "postgresql://headroom@db/headroom",
    "REDIS_URL": "redis://redis:6379/0",
    "MAIL_URL": "smtp+tls://mail.example",
    "MAIL_FROM": "headroom@headroom.example",
}
OURS = {
    *PRODUCTION,
    "DJANGO_ALLOW_ASYNC_UNSAFE",
    "HEADROOM_DATA",
    "HEADROOM_TEST_DATABASE",
    "LOG_LEVEL",
    "TRUSTED_PROXIES",
}


def run(*command: str, **given: str) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if name not in OURS}
    environment |= {"DJANGO_SETTINGS_MODULE": "headroom.settings", **given}
    return subprocess.run(
        [sys.executable, *command], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60
    )


def setting(name: str, **given: str) -> object:
    script = f"import json; from django.conf import settings; print(json.dumps(getattr(settings, {name!r})))"
    done = run("-c", script, **given)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize(
    "command",
    [
        ("manage.py", "check"),
        ("-m", "celery", "-A", "headroom", "worker"),
        ("-m", "celery", "-A", "headroom", "beat"),
        ("-m", "gunicorn", "--preload", "--bind", "127.0.0.1:0", "headroom.wsgi"),
    ],
)
def test_nonsense_ends_every_command_with_one_sentence(command: tuple[str, ...]) -> None:
    done = run(*command, HEADROOM_MODE="prod")
    assert done.returncode == 1
    assert done.stderr.strip().splitlines()[-1] == (
        'headroom cannot start: the environment variable HEADROOM_MODE is "prod"; '
        "expected one of local, production, test."
    )
    assert "Traceback" not in done.stdout + done.stderr


@pytest.mark.parametrize("missing", sorted(set(PRODUCTION) - {"HEADROOM_MODE"}))
def test_production_asks_for_what_must_not_be_guessed(missing: str) -> None:
    given = {name: value for name, value in PRODUCTION.items() if name != missing}
    done = run("manage.py", "check", **given)
    assert done.returncode == 1
    assert f"the environment variable {missing} is not set" in done.stderr


def test_the_deployment_check_is_clean() -> None:
    done = run("manage.py", "check", "--deploy", "--fail-level", "WARNING", **PRODUCTION)
    assert done.returncode == 0, done.stderr
    assert "no issues (0 silenced)" in done.stdout


def test_production_never_debugs_and_confirms_addresses() -> None:
    assert setting("DEBUG", HEADROOM_DEBUG="yes", **PRODUCTION) is False
    assert setting("ACCOUNT_EMAIL_VERIFICATION", **PRODUCTION) == "mandatory"


def test_local_mode_shows_the_sites_own_pages_unless_asked(tmp_path: Path) -> None:
    data = {"HEADROOM_DATA": str(tmp_path / "var")}
    assert setting("DEBUG", **data) is False
    assert setting("DEBUG", HEADROOM_DEBUG="yes", **data) is True


def test_local_mode_serves_loopback_only_and_keeps_its_key(tmp_path: Path) -> None:
    data = {"HEADROOM_DATA": str(tmp_path / "var")}
    assert setting("ALLOWED_HOSTS", **data) == ["localhost", "127.0.0.1", "[::1]"]
    first, second = setting("SECRET_KEY", **data), setting("SECRET_KEY", **data)
    assert first == second
    assert len(str(first)) >= 50
    assert (tmp_path / "var" / "secret-key").stat().st_mode & 0o777 == 0o600


def test_forwarded_headers_count_only_behind_a_proxy_of_ours() -> None:
    script = "from django.conf import settings; print(settings.SECURE_PROXY_SSL_HEADER)"
    assert run("-c", script, **PRODUCTION).stdout.strip() == "None"
    assert "HTTP_X_FORWARDED_PROTO" in run("-c", script, TRUSTED_PROXIES="1", **PRODUCTION).stdout


def test_the_check_of_the_compose_file_is_answered_in_production() -> None:
    """It asks for 127.0.0.1, which is none of ALLOWED_HOSTS, over plain HTTP, and there is no database yet."""
    script = (
        "import django; django.setup(); from django.test import Client; "
        "print(Client().get('/healthz', headers={'Host': '127.0.0.1:8000'}).status_code)"
    )
    assert run("-c", script, **PRODUCTION).stdout.strip() == "200"
