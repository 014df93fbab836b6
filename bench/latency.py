"""From `labs.submitting.submit` to the first case being played: the whole way through database, queue and worker.

    python -m bench.latency [--quick] [--postgres]

A Redis, a database (SQLite in a temporary folder, or a PostgreSQL) and one Celery worker, as `make up` runs them, all
real. Each submission is a Run of the lab's first right solution, and its row is read every 2 ms:
    taken    the row is running: a worker has claimed it
    case     its phase is "case": the sandbox has been taken, the submission loaded in it, the first case has begun
warm         one at a time, with a pause before each in which the next sandbox becomes ready
back to back the next one is sent as soon as the last has its verdict: the next sandbox may still be importing torch
cold         to a worker that is started at the same moment
Aim: "case" within 150 ms, warm. Leaves with 1 beyond it.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from bench.results import ROOT, machine, save, show, spread, written

AIM_S = 0.150
LAB = "checkpoint-function"
PAUSE_S = 5.0
PATIENCE_S = 120.0
POLL_S = 0.002


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="3 submissions instead of 20, one cold start")
    parser.add_argument("--postgres", action="store_true", help="PostgreSQL instead of SQLite")
    options = parser.parse_args()
    times, starts = (3, 1) if options.quick else (20, 3)
    on = machine()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="hr-latency-")))
        environment = services(stack, folder, options.postgres)
        submitted = site(environment)
        found: dict[str, list[dict[str, float]]] = {"cold": []}
        for _ in range(starts):
            with worker(environment, folder) as started:
                found["cold"].append(submitted(started))
        with worker(environment, folder):
            submitted(None)
            found["warm"] = [submitted(None, pause=PAUSE_S) for _ in range(times)]
            found["back to back"] = [submitted(None) for _ in range(times)]
    figures = {
        name: {moment: spread([one[moment] * 1000 for one in sample]) for moment in ("taken", "case")}
        for name, sample in found.items()
    }
    rows = [
        [name, len(found[name]), *(written(figures[name][moment], 0) for moment in ("taken", "case"))]
        for name in ("warm", "back to back", "cold")
    ]
    database = "PostgreSQL" if options.postgres else "SQLite"
    show(
        f"Milliseconds after submit, {database}: median (lowest to highest)", ["worker", "times", "taken", "case"], rows
    )
    over = figures["warm"]["case"]["median"] > AIM_S * 1000
    print(f"\naim: warm, case within {AIM_S * 1000:.0f} ms{': MISSED' if over else ''}")
    save("latency", on, {"quick": options.quick, "database": database, "milliseconds": figures})
    return 1 if over else 0


def services(stack: ExitStack, folder: Path, on_postgres: bool) -> dict[str, str]:
    """Start what a site stands on; return its environment."""
    from tests.support import postgres, redis

    environment = {name: value for name, value in os.environ.items() if not name.startswith(("HEADROOM_", "DJANGO_"))}
    environment |= {
        "HEADROOM_MODE": "local",
        "HEADROOM_DATA": str(folder),
        "DJANGO_SETTINGS_MODULE": "headroom.settings",
        "REDIS_URL": stack.enter_context(redis.running()),
        "DATABASE_URL": stack.enter_context(postgres.running()) if on_postgres else f"sqlite:///{folder}/site.sqlite3",
    }
    os.environ |= environment
    return environment


def site(environment: dict[str, str]) -> Callable[..., dict[str, float]]:
    """Make the site in this process; return a function that submits and times."""
    import django

    django.setup()
    from django.core.management import call_command

    from accounts.models import User
    from grader import catalog
    from labs.models import Mode, State, Submission
    from labs.submitting import submit

    call_command("migrate", verbosity=0)
    user = User.objects.create_user("someone@example.org", "a long passphrase")
    lab = catalog.get(LAB)
    source = min((lab.folder / "right").glob("*.py")).read_bytes()
    keys: Iterator[int] = iter(range(10**6))

    def submitted(since: float | None, pause: float = 0.0) -> dict[str, float]:
        """Send one submission and return seconds from `since` (now where None) until it was taken and played."""
        time.sleep(pause)
        began = since or time.perf_counter()
        pk = submit(user, lab, mode=Mode.RUN, source=source, key=f"{next(keys)}").submission.pk
        row = Submission.objects.filter(pk=pk).values_list("state", "phase", "outcome")
        seen: dict[str, float] = {}
        while time.perf_counter() - began < PATIENCE_S:
            state, phase, outcome = row.get()
            if state != State.QUEUED:
                seen.setdefault("taken", time.perf_counter() - began)
            if phase == "case":
                seen.setdefault("case", time.perf_counter() - began)
            if state == State.DONE:
                print(".", end="", flush=True)
                if outcome != "passed" or "case" not in seen:
                    raise RuntimeError(f"the right solution ended as {outcome}, after {seen}")
                return seen
            # Once it plays, its verdict is all that is waited for: look less often, and leave the worker its core.
            time.sleep(0.1 if "case" in seen else POLL_S)
        raise RuntimeError(f"no verdict within {PATIENCE_S:.0f} s: {row.get()}")

    return submitted


@contextmanager
def worker(environment: dict[str, str], folder: Path) -> Iterator[float]:
    """Start the worker of the Procfile's line; yield the moment. It is told to stop at the end, and has ended."""
    command = [sys.executable, "-m", "celery", "-A", "headroom", "worker", "-Q", "cpu,short", "-c", "1"]
    with open(folder / "worker.log", "ab") as log:
        began = time.perf_counter()
        process = subprocess.Popen(
            [*command, "--without-gossip", "--without-mingle", "-l", "WARNING"],
            cwd=ROOT, env=environment | {"REMAP_SIGTERM": "SIGQUIT"}, stdout=log, stderr=log,
        )  # fmt: skip
        try:
            yield began
        except Exception:
            print((folder / "worker.log").read_text(errors="replace")[-3000:], file=sys.stderr)
            raise
        finally:
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


if __name__ == "__main__":
    sys.exit(main())
