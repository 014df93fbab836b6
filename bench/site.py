"""A site for benchmarks: its Redis and database, its own code in this process, and workers, as `make up` runs them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from bench.results import ROOT

PATIENCE_S = 120.0
PAUSE_S = 6.0
"""In this the next sandbox imports torch and makes its meter warm: 3.4 s of a core's time on a slow virtual machine."""
POLL_S, CALM_POLL_S = 0.002, 0.1


class Site:
    """A migrated site with people who submit the first right solution of one lab.

    Django is set up with `environment` in this process, so a process can have one site.
    """

    def __init__(self, environment: dict[str, str], slug: str, mode: str, people: int = 1) -> None:
        os.environ |= environment
        import django

        django.setup()
        from django.core.management import call_command

        from accounts.models import User
        from grader import catalog

        call_command("migrate", verbosity=0)
        self.people = [User.objects.create_user(f"{n}@example.org", "a long passphrase") for n in range(people)]
        self.mode, self._sent, self._lab_of = mode, 0, catalog.get
        self.choose(slug)

    def choose(self, slug: str) -> None:
        """Submit to this lab from now on."""
        self.lab = self._lab_of(slug)
        self.source = min((self.lab.folder / "right").glob("*.py")).read_bytes()

    def send(self) -> int:
        """Submit, as the next person; return the row's primary key."""
        from labs.models import Mode
        from labs.submitting import submit

        self._sent += 1
        person = self.people[self._sent % len(self.people)]
        key = str(self._sent)
        return submit(person, self.lab, mode=Mode(self.mode), source=self.source, key=key).submission.pk

    def all_graded(self, count: int) -> float:
        """Send `count` submissions at once and return the seconds until each has its verdict. Raises RuntimeError."""
        from labs.models import State, Submission

        began = time.perf_counter()
        sent = [self.send() for _ in range(count)]
        waiting = Submission.objects.filter(pk__in=sent).exclude(state=State.DONE)
        while waiting.exists():
            if time.perf_counter() - began > PATIENCE_S * count:
                raise RuntimeError(f"{waiting.count()} of {count} have no verdict")
            time.sleep(0.02)
        seconds = time.perf_counter() - began
        if wrong := Submission.objects.filter(pk__in=sent).exclude(outcome="passed").first():
            raise RuntimeError(f"the right solution of {self.lab.slug} ended as {wrong.outcome}: {wrong.verdict}")
        print(".", end="", flush=True)
        return seconds

    def submitted(self, since: float | None = None, pause: float = 0.0, until: str = "done") -> dict[str, float]:
        """Send one submission and return seconds from `since` (now where None) to each moment that was seen:
        "taken" (a worker has claimed the row), "case" (its sandbox plays the first case), "done" (its verdict stands).

        The row is read every 2 ms up to the moment `until`, and then seldom, which leaves the worker its core.
        Raises RuntimeError where it does not pass, or not in time.
        """
        from labs.models import State, Submission

        time.sleep(pause)
        began = since or time.perf_counter()
        pk = self.send()
        row = Submission.objects.filter(pk=pk).values_list("state", "phase", "outcome")
        seen: dict[str, float] = {}
        while time.perf_counter() - began < PATIENCE_S:
            state, phase, outcome = row.get()
            now = time.perf_counter() - began
            if state != State.QUEUED:
                seen.setdefault("taken", now)
            if phase == "case":
                seen.setdefault("case", now)
            if state == State.DONE:
                print(".", end="", flush=True)
                if outcome != "passed":
                    raise RuntimeError(f"the right solution ended as {outcome}, after {seen}")
                return seen | {"done": now}
            time.sleep(CALM_POLL_S if until in seen else POLL_S)
        raise RuntimeError(f"no verdict within {PATIENCE_S:.0f} s: {row.get()}")


@contextmanager
def services(on_postgres: bool, **more: str) -> Iterator[tuple[dict[str, str], Path]]:
    """Start what a site stands on; give its environment, with `more` in it, and its folder."""
    from tests.support import postgres, redis

    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="hr-bench-")))
        ours = {name: value for name, value in os.environ.items() if not name.startswith(("HEADROOM_", "DJANGO_"))}
        database = stack.enter_context(postgres.running()) if on_postgres else f"sqlite:///{folder}/site.sqlite3"
        yield (
            {
                **ours,
                "HEADROOM_MODE": "local",
                "LOG_LEVEL": "WARNING",
                "HEADROOM_DATA": str(folder),
                "DJANGO_SETTINGS_MODULE": "headroom.settings",
                "REDIS_URL": stack.enter_context(redis.running()),
                "DATABASE_URL": database,
                **more,
            },
            folder,
        )


@contextmanager
def workers(environment: dict[str, str], folder: Path, names: Sequence[str] = ("one",)) -> Iterator[float]:
    """Start workers with the Procfile's line; yield the moment. They are told to stop at the end, and have ended."""
    command = [sys.executable, "-m", "celery", "-A", "headroom", "worker", "-Q", "cpu,short", "-c", "1"]
    with open(folder / "worker.log", "ab") as log:
        began = time.perf_counter()
        processes = [
            subprocess.Popen(
                [*command, "-n", f"{name}@%h", "--without-gossip", "--without-mingle", "-l", "WARNING"],
                cwd=ROOT, env=environment | {"REMAP_SIGTERM": "SIGQUIT"}, stdout=log, stderr=log,
            )
            for name in names
        ]  # fmt: skip
        try:
            yield began
        except Exception:  # whatever it was, it goes on; the worker's log says why, and its folder is about to go
            print((folder / "worker.log").read_text(errors="replace")[-3000:], file=sys.stderr)
            raise
        finally:
            for process in processes:
                process.send_signal(signal.SIGTERM)
            for process in processes:
                try:
                    process.wait(30)
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.wait()
