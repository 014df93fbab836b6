"""A Redis for tests: the server that `make up` would choose, on a socket in a private folder."""

import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import redis

from headroom import redis_server
from tests.support.process import tied_to_us


class Server:
    """A Redis on a socket in `folder`, with `url`; it keeps nothing on disk."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        (folder / "redis").mkdir(exist_ok=True)
        self.url = redis_server.local_url(folder)

    def start(self) -> None:
        """Start it, empty, and wait until it answers."""
        command = [
            *redis_server.arguments(redis_server.find_server(), self._folder),
            "--save",
            "",
            "--appendonly",
            "no",
        ]
        self._process = subprocess.Popen(command, **tied_to_us())
        client = redis.Redis.from_url(self.url)
        deadline = time.monotonic() + 10
        while True:
            try:
                client.ping()
                break
            except redis.ConnectionError:
                assert self._process.poll() is None and time.monotonic() < deadline, "the Redis for tests did not start"
                time.sleep(0.02)
        client.close()

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()


@contextmanager
def serving() -> Iterator[Server]:
    """Start a server; end it."""
    with tempfile.TemporaryDirectory(prefix="hr-") as folder:
        server = Server(Path(folder))
        server.start()
        try:
            yield server
        finally:
            server.kill()


@contextmanager
def running() -> Iterator[str]:
    """Start a server; give its REDIS_URL; end it."""
    with serving() as server:
        yield server.url
