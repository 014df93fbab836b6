"""A clone of the last commit in an empty folder, served by `make up`."""

import os
import signal
import socket
import subprocess
import tempfile
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from tests.support import required
from tests.support.process import alive, tied_to_us, until

ROOT = Path(__file__).resolve().parents[2]

INSTALL_S = 900
"""A fresh environment downloads torch; with the environment at hand the site answers in seconds."""


@dataclass
class Stack:
    """A running `make up`."""

    folder: Path
    port: int
    process: "subprocess.Popen[bytes]"
    log: Path

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def manage(self, *arguments: str) -> str:
        """Run a management command of the clone on the running site's data."""
        command = [self.folder / ".venv" / "bin" / "python", "manage.py", *arguments]
        return subprocess.run(command, cwd=self.folder, capture_output=True, text=True, check=True).stdout

    def interrupt(self) -> None:
        """Press Ctrl-C: the signal goes to the whole foreground group."""
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGINT)
            self.process.wait(60)

    def answers(self) -> bool:
        with suppress(OSError):
            return urllib.request.urlopen(f"{self.url}/readyz", timeout=2).status == 200
        return False

    def processes(self) -> list[int]:
        """Return the pids of all processes that work in the clone's folder or were started from it."""
        mine = str(self.folder).encode()
        found = []
        for entry in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):
                if mine in (entry / "cmdline").read_bytes() or mine == os.readlink(entry / "cwd").encode():
                    found.append(int(entry.name))
        return [pid for pid in found if alive(pid) and pid != os.getpid()]


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


@contextmanager
def cloned() -> Iterator[Path]:
    """Clone the last commit into an empty folder. Its environment is made anew where HEADROOM_REQUIRE names `fresh`."""
    with tempfile.TemporaryDirectory(prefix="hr-clone-") as name:
        folder = Path(name) / "headroom"
        subprocess.run(["git", "clone", "--quiet", f"file://{ROOT}", folder], check=True)
        if not required("fresh"):
            (folder / ".venv").symlink_to(ROOT / ".venv")
        yield folder


@contextmanager
def up(folder: Path) -> Iterator[Stack]:
    """Run `make up` in a clone until the site answers; end it as Ctrl-C does."""
    port = free_port()
    log = folder.parent / "up.log"
    given = {
        key: value for key, value in os.environ.items() if not key.startswith(("HEADROOM_", "DJANGO_", "DATABASE_"))
    }
    given.pop("REDIS_URL", None)
    with open(log, "wb") as out:
        process = subprocess.Popen(
            ["make", "up", f"PORT={port}"], cwd=folder, env=given, stdout=out, stderr=out,
            start_new_session=True, **tied_to_us(),
        )  # fmt: skip
        stack = Stack(folder, port, process, log)
        try:
            until(lambda: stack.answers() or process.poll() is not None, INSTALL_S)
            assert process.poll() is None, log.read_text()
            yield stack
        finally:
            stack.interrupt()
