"""A site's workers and services as real processes, on a lab that takes milliseconds: what fails can fail often."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import psycopg

from tests.support import double
from tests.support.process import alive, tied_to_us, until

ROOT = Path(__file__).resolve().parents[2]

FILLS_THE_DISK = """
def double(x):
    with open("/tmp/all", "wb") as out:
        while True:
            out.write(bytes(1 << 20))
"""

DISK_BYTES = 4 << 20
OWN_DISK = 'mount -t tmpfs -o size="$0" none "$TMPDIR" && exec "$@"'
"""Runs a command whose temporary folder is a small disk of its own, which ends with it."""

EMPTY = 'mount --bind /dev/null "$0" && exec "$@"'
"""Runs a command to which one file is empty."""

KINDS = {
    "passed": "def double(x):\n    return x + x\n",
    "failed": "def double(x):\n    return x\n",
    "crashed": "def double(x):\n    raise ValueError('no')\n",
    "passed slowly": "import time\n\ndef double(x):\n    time.sleep(1)\n    return 2 * x\n",
    "killed": "import os\n\ndef double(x):\n    os._exit(0)\n",
    "crashed on a full disk": FILLS_THE_DISK,
}
"""Submissions by what must come of them; the outcome is the first word."""

SUBMIT = """
import json, sys, time, django; django.setup()
from django.db import DatabaseError, InterfaceError, connection
from accounts.models import User
from grader import catalog
from labs.models import Mode
from labs.submitting import submit

def insist(what):
    while True:
        try:
            return what()
        except (DatabaseError, InterfaceError):
            connection.close()
            time.sleep(0.5)

for number, (person, source) in enumerate(json.load(sys.stdin)):
    user = insist(lambda: User.objects.filter(email=person).first() or User.objects.create_user(person))
    insist(lambda: submit(user, catalog.get("double"), mode=Mode.SUBMIT, source=source.encode(), key=str(number)))
    time.sleep(float(sys.argv[1]))
"""

ONE_VERDICT_EACH = """
CREATE TABLE ends (submission bigint);
CREATE FUNCTION note_end() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN INSERT INTO ends VALUES (NEW.id); RETURN NEW; END $$;
CREATE TRIGGER note_end AFTER UPDATE ON labs_submission FOR EACH ROW
    WHEN (NEW.verdict IS NOT NULL AND NEW.verdict IS DISTINCT FROM OLD.verdict) EXECUTE FUNCTION note_end();
"""
"""The database itself notes each time that a verdict is written, past all of our code."""


class Site:
    """The processes of one site, with one environment; everything that they start carries `mark`."""

    def __init__(self, folder: Path, database_url: str, redis_url: str) -> None:
        self.folder, self.database_url = folder, database_url
        self.mark = f"HEADROOM_CHAOS={folder.name}-{os.getpid()}"
        double.write(folder / "catalogue")
        (folder / "tmp").mkdir()
        ours = {"HEADROOM_MODE", "DATABASE_URL", "DJANGO_SETTINGS_MODULE", "HEADROOM_TEST_DATABASE"}
        name, value = self.mark.split("=")
        self.environment = {
            **{key: text for key, text in os.environ.items() if key not in ours},
            name: value,
            "DJANGO_SETTINGS_MODULE": "headroom.settings",
            "HEADROOM_MODE": "local",
            "HEADROOM_DATA": str(folder),
            "HEADROOM_CATALOG": str(folder / "catalogue"),
            "DATABASE_URL": database_url,
            "REDIS_URL": redis_url,
            "TMPDIR": str(folder / "tmp"),
            "OMP_NUM_THREADS": "1",
            "PYTHONPATH": str(ROOT),
        }
        self.processes: list[subprocess.Popen[bytes]] = []
        self.log = open(folder / "log", "ab")  # noqa: SIM115  (as long as the site)

    def migrate(self) -> None:
        self.python("manage.py", "migrate", "--verbosity", "0")
        self.sql(ONE_VERDICT_EACH)

    def python(self, *arguments: str, **options: Any) -> "subprocess.CompletedProcess[str]":
        command = [sys.executable, *arguments]
        return subprocess.run(
            command, env=self.environment, cwd=ROOT, check=True, capture_output=True, text=True, **options
        )

    def start(
        self, *command: str, kept: bool = True, within: Sequence[str] = (), **environment: str
    ) -> "subprocess.Popen[bytes]":
        """Start a process the way the Procfile does: a keeper starts it again when it ends."""
        keep = [sys.executable, "-m", "headroom.keep"] if kept else []
        process = subprocess.Popen(
            [*keep, *within, sys.executable, "-m", "celery", "-A", "headroom", *command, "-l", "WARNING"],
            env=self.environment | environment, cwd=ROOT, stdout=self.log, stderr=self.log, **tied_to_us(),
        )  # fmt: skip
        self.processes.append(process)
        return process

    def worker(
        self, name: str, kept: bool = True, own_disk: bool = False, without: Path | None = None, **environment: str
    ) -> "subprocess.Popen[bytes]":
        """Start a worker of one process. With `own_disk` its temporary folder holds `DISK_BYTES` and is its alone; a
        file that it is `without` is empty to it alone."""
        # Who is not root may mount only where they are root, in a namespace of their own.
        apart = ["unshare", "--mount"] if os.geteuid() == 0 else ["unshare", "--mount", "--map-root-user"]
        within: list[str] = []
        if own_disk:
            within = [*apart, "sh", "-c", OWN_DISK, str(DISK_BYTES)]
        elif without:
            within = [*apart, "sh", "-c", EMPTY, str(without)]
        return self.start(
            "worker", "-n", f"{name}@%h", "-Q", "cpu,short", "-c", "1", "--without-gossip", "--without-mingle",
            kept=kept, within=within,
            **{"REMAP_SIGTERM": "SIGQUIT"} | environment,
        )  # fmt: skip

    def beat(self) -> "subprocess.Popen[bytes]":
        return self.start("beat", "--pidfile=")

    def submitting(self, work: Sequence[tuple[str, str]], pause: float) -> "subprocess.Popen[bytes]":
        """Send `work`, pairs of person and source, one after another, through the site's own code."""
        process = subprocess.Popen(
            [sys.executable, "-c", SUBMIT, str(pause)],
            env=self.environment, cwd=ROOT, stdin=subprocess.PIPE, stdout=self.log, stderr=self.log, **tied_to_us(),
        )  # fmt: skip
        assert process.stdin
        process.stdin.write(json.dumps(list(work)).encode())
        process.stdin.close()
        self.processes.append(process)
        return process

    def sql(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        """Run a statement on the database, past our code."""
        with psycopg.connect(self.database_url, autocommit=True) as connection:
            cursor = connection.execute(query, values or None)  # type: ignore[call-overload]
            return cursor.fetchall() if cursor.description else []

    def running(self) -> list[tuple[int, str]]:
        """Return (pool process, public id) of what is being graded."""
        rows = self.sql("SELECT worker, public_id FROM labs_submission WHERE state = 'running'")
        return [(int(worker.rpartition(":")[2]), public_id) for worker, public_id in rows]

    def left(self) -> list[str]:
        """Return the command lines of processes that this site started and that are still there."""
        found = []
        for entry in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):
                if self.mark.encode() in (entry / "environ").read_bytes() and alive(int(entry.name)):
                    found.append((entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace"))
        return found

    def stop(self) -> None:
        for process in self.processes:
            process.send_signal(signal.SIGTERM)
        for process in self.processes:
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def said(self) -> str:
        return (self.folder / "log").read_text(errors="replace")[-6000:]


@contextmanager
def site(folder: Path, database_url: str, redis_url: str) -> Iterator[Site]:
    """A site without processes yet, on a database with its tables; what it started has ended at the end, and nothing is
    left."""
    made = Site(folder, database_url, redis_url)
    try:
        yield made
    except BaseException:
        print(made.said())  # noqa: T201  (pytest shows it where the test fails)
        raise
    finally:
        made.stop()
        made.log.close()
    until(lambda: not made.left(), 20)
    assert left_behind(folder / "tmp") == [], "a temporary folder was left"
    assert str(folder) not in Path("/proc/mounts").read_text(), "a mount was left"


def left_behind(temporary: Path) -> list[str]:
    """Return what lies there, but for what no process of ours can take away.

    torch makes one cache folder a user, of a fixed name. Python's multiprocessing, under Celery, makes one for each
    worker and removes it at the end; one that was killed leaves it, empty.
    """
    return [
        entry.name
        for entry in temporary.iterdir()
        if not entry.name.startswith("torchinductor_")
        and not (entry.name.startswith("pymp-") and not any(entry.iterdir()))
    ]


def parent_of(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
