"""The whole of `make up`, on data of its own: it answers, starts again without loss, and ends whole."""

import os
import re
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from headroom import redis_server
from tests.support.process import until

ROOT = Path(__file__).resolve().parents[2]
pytestmark = [pytest.mark.stack, pytest.mark.long]


class Stack:
    """A running `make up`. Its processes are told from all others by the data folder in their environment."""

    def __init__(self, data: Path) -> None:
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        self.data = data
        self.log = data.parent / f"{self.port}.log"
        ours = ("DJANGO_SETTINGS_MODULE", "HEADROOM_MODE", "DATABASE_URL", "REDIS_URL", "HEADROOM_TEST_DATABASE")
        environment = {name: value for name, value in os.environ.items() if name not in ours}
        environment |= {"HEADROOM_DATA": str(data), "PORT": str(self.port)}
        with open(self.log, "w") as log:
            self.up = subprocess.Popen(
                [sys.executable, "-m", "headroom.up"],
                cwd=ROOT, env=environment, stdout=log, stderr=log, start_new_session=True,
            )  # fmt: skip

    def said(self) -> str:
        return self.log.read_text()

    def wait(self) -> "Stack":
        def answers() -> bool:
            assert self.up.poll() is None, self.said()
            return f"Headroom is at http://127.0.0.1:{self.port}/" in self.said()

        until(answers, 150)
        return self

    def password(self) -> str:
        found = re.search(r"learner@example\.org +(\S+)", self.said())
        assert found
        return found[1]

    def processes(self) -> dict[int, str]:
        """Return command lines by pid of everything that runs for this data folder."""
        mark = f"HEADROOM_DATA={self.data}\0".encode()
        # The Redis writes its title over its environment; it shows its socket instead.
        socket_path = str(redis_server.socket_path(self.data))
        found = {}
        for place in Path("/proc").glob("[0-9]*"):
            try:
                command = (place / "cmdline").read_text().replace("\0", " ")
                if mark in (place / "environ").read_bytes() or f"unixsocket:{socket_path}" in command:
                    found[int(place.name)] = command
            except OSError:
                continue
        return found

    def gone(self) -> bool:
        return not self.processes()


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the site: whoever comes second finds its database and the curriculum there."""
    return tmp_path_factory.mktemp("site") / "var"


@pytest.fixture
def stack(data: Path) -> Iterator[Stack]:
    stack = Stack(data).wait()
    yield stack
    for pid in stack.processes():
        os.kill(pid, signal.SIGKILL)
    stack.up.wait()


def test_it_ends_whole_on_ctrl_c_and_starts_again_without_loss(stack: Stack) -> None:
    with urllib.request.urlopen(f"http://127.0.0.1:{stack.port}/readyz", timeout=5) as response:
        assert response.status == 200
    commands = "\n".join(stack.processes().values())
    for part in ("gunicorn", "celery -A headroom worker", "celery -A headroom beat", "unixsocket:"):
        assert part in commands
    stack.up.send_signal(signal.SIGINT)
    assert stack.up.wait(30) == 0
    until(stack.gone, 60)

    again = Stack(stack.data).wait()
    assert again.password() == stack.password()
    again.up.terminate()
    assert again.up.wait(30) == 0
    until(again.gone, 60)


def test_what_is_killed_comes_back_and_a_killed_make_up_leaves_nothing(stack: Stack) -> None:
    def workers() -> list[int]:
        return [pid for pid, line in stack.processes().items() if " worker " in line and "headroom.keep" not in line]

    before = until(lambda: len(workers()) >= 2 and workers())
    os.kill(min(before), signal.SIGKILL)
    until(lambda: workers() and not set(workers()) & set(before), 120)

    killed = [pid for pid, line in stack.processes().items() if "headroom.up" in line or "honcho" in line]
    assert len(killed) > 2
    for pid in killed:
        os.kill(pid, signal.SIGKILL)
    until(stack.gone, 60)
