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


@contextmanager
def running() -> Iterator[str]:
    """Start a server; give its REDIS_URL; end it."""
    with tempfile.TemporaryDirectory(prefix="hr-") as folder:
        var = Path(folder)
        (var / "redis").mkdir()
        server = subprocess.Popen(redis_server.arguments(redis_server.find_server(), var), **tied_to_us())
        try:
            url = redis_server.local_url(var)
            client = redis.Redis.from_url(url)
            deadline = time.monotonic() + 10
            while True:
                try:
                    client.ping()
                    break
                except redis.ConnectionError:
                    assert server.poll() is None and time.monotonic() < deadline, "the Redis for tests did not start"
                    time.sleep(0.02)
            client.close()
            yield url
        finally:
            server.kill()
            server.wait()
