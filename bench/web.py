"""The site as production runs it, on this machine: gunicorn, PostgreSQL and Redis, with the whole curriculum.

Server, database and Redis run on one core and whoever asks on another (where there are two), so what is measured is
what the server's core gives, and the asking takes nothing from it.
"""

from __future__ import annotations

import os
import secrets
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from bench.results import ROOT

HOST = "headroom.example"
WORKERS = 2
START_S = 120.0


def cores() -> tuple[set[int], set[int]]:
    """Return the server's core and the one of whoever asks; the same where there is one."""
    there = sorted(os.sched_getaffinity(0))
    return {there[0]}, {there[-1]}


@contextmanager
def database() -> Iterator[Path]:
    """Start PostgreSQL and Redis, set production's environment up in this process, and give the data folder.

    Django is set up and the curriculum loaded. What this process starts shares its core, the server's.
    """
    from tests.support import postgres, redis

    os.sched_setaffinity(0, cores()[0])
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="hr-pages-")))
        for name in [name for name in os.environ if name.startswith(("HEADROOM_", "DJANGO_"))]:
            del os.environ[name]
        os.environ |= {
            "HEADROOM_MODE": "production",
            "HEADROOM_DATA": str(folder),
            "DJANGO_SETTINGS_MODULE": "bench.web_settings",
            "SECRET_KEY": secrets.token_urlsafe(60),
            "ALLOWED_HOSTS": HOST,
            "MAIL_URL": "smtp://127.0.0.1:9",
            "MAIL_FROM": f"headroom@{HOST}",
            "TRUSTED_PROXIES": "1",
            "LOG_LEVEL": "WARNING",
            "REDIS_URL": stack.enter_context(redis.running()),
            "DATABASE_URL": stack.enter_context(postgres.running()),
        }
        import django

        django.setup()
        from django.core.management import call_command

        call_command("migrate", verbosity=0)
        call_command("content", "sync")
        call_command("collectstatic", interactive=False, verbosity=0)
        yield folder


@contextmanager
def server(folder: Path) -> Iterator[int]:
    """Start gunicorn as compose does, with WORKERS processes, and give its port."""
    from tests.support.process import tied_to_us

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "gunicorn", "headroom.wsgi", "--preload", "--workers", str(WORKERS)]
    with open(folder / "web.log", "ab") as log:
        process = subprocess.Popen(
            [*command, "--bind", f"127.0.0.1:{port}", "--log-level", "warning"],
            cwd=ROOT, stdout=log, stderr=log, **tied_to_us(),
        )  # fmt: skip
        try:
            _wait(process, port, folder / "web.log")
            yield port
        finally:
            process.terminate()
            process.wait(30)


def _wait(process: subprocess.Popen[bytes], port: int, log: Path) -> None:
    deadline = time.monotonic() + START_S
    while True:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=2):
                return
        except OSError:
            if process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"the server did not start: {log.read_text(errors='replace')[-2000:]}") from None
            time.sleep(0.1)


def signed_in(email: str, *, premium: bool = True) -> tuple[object, str]:
    """Make someone with an account who has a session, and return them with its cookie."""
    from datetime import timedelta

    from django.test import Client
    from django.utils import timezone

    from accounts.models import User

    user = User.objects.create_user(email, "a long passphrase")
    if premium:
        user.grants.create(until=timezone.now() + timedelta(days=9), reason="bench")
    client = Client()
    client.force_login(user)
    return user, f"sessionid={client.cookies['sessionid'].value}"
