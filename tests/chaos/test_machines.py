"""Three workers, each with an address of its own to database and queue: one is cut off in mid-grading, and healed.

Network namespaces need rights that a test rarely has: each worker reaches the services through a relay of its own, and
cutting off means that the relay passes nothing on and closes nothing, as a dead switch does.
"""

import selectors
import socket
import threading
import time
from contextlib import suppress

import pytest

from tests.chaos.site import KINDS, site
from tests.support import postgres, redis
from tests.support.process import until

pytestmark = [pytest.mark.stack, pytest.mark.long, pytest.mark.timeout(900)]

SLOW = "import time\n\ndef double(x):\n    time.sleep(4)\n    return x + x\n"


class Relay:
    """Listens on `address` (TCP) and passes bytes to a Unix socket and back, while `up`."""

    def __init__(self, address: str, target: str) -> None:
        self.target, self.up = target, threading.Event()
        self.up.set()
        self._server = socket.create_server((address, 0))
        self.host, self.port = self._server.getsockname()
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                threading.Thread(target=self._serve, args=(self._server.accept()[0],), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        self.up.wait()
        with client, socket.socket(socket.AF_UNIX) as server, selectors.DefaultSelector() as ready, suppress(OSError):
            server.connect(self.target)
            ready.register(client, selectors.EVENT_READ, server)
            ready.register(server, selectors.EVENT_READ, client)
            while True:
                for key, _ in ready.select():
                    self.up.wait()
                    if not (data := key.fileobj.recv(65536)):
                        return
                    key.data.sendall(data)

    def close(self) -> None:
        self.up.set()
        self._server.close()


def test_a_machine_cut_off_in_mid_grading_changes_nothing_and_works_again_when_healed(tmp_path, tables):
    with (
        postgres.serving(data=tables) as database,
        redis.serving() as queue,
        site(tmp_path, database.url, queue.url) as on,
    ):
        links = []
        for number in range(3):
            address = f"127.0.0.{number + 2}"
            to_database = Relay(address, f"{database.folder}/.s.PGSQL.5432")
            to_queue = Relay(address, queue.url.removeprefix("unix://").partition("?")[0])
            links.append((to_database, to_queue))
            on.worker(
                f"machine{number}",
                DATABASE_URL=f"postgresql://headroom@{address}:{to_database.port}/postgres",
                REDIS_URL=f"redis://{address}:{to_queue.port}/0",
            )
        on.beat()
        until(lambda: on.sql("SELECT count(*) FROM labs_worker")[0][0] == 3, 120)
        try:
            work = [(f"p{n}@example.org", f"# {n}\n{SLOW if n < 3 else KINDS['passed']}") for n in range(12)]
            on.submitting(work, pause=0).wait(60)
            until(lambda: len(on.running()) == 3, 120)
            name, pool = on.sql("SELECT public_id, worker FROM labs_submission WHERE state = 'running' LIMIT 1")[0]
            cut = links[machine_of(int(pool.rpartition(":")[2]))]
            for link in cut:
                link.up.clear()

            def attempt() -> tuple[str, int, str]:
                rows = on.sql("SELECT state, attempt, worker FROM labs_submission WHERE public_id = %s", name)
                return rows[0]

            until(lambda: attempt()[0] == "done", 120)
            _, attempts, again = attempt()
            assert attempts == 2 and again != pool, "another machine took it over"
            until(lambda: on.sql("SELECT count(*) FROM labs_submission WHERE state <> 'done'") == [(0,)], 120)
            for link in cut:
                link.up.set()
            # What it held back it says now: its late verdict must change nothing.
            time.sleep(5)
            on.submitting([(f"q{n}@example.org", f"# q{n}\n{SLOW}") for n in range(6)], pause=0).wait(60)
            until(lambda: pool in [worker for (worker,) in on.sql("SELECT worker FROM labs_submission")], 120)
            until(lambda: on.sql("SELECT count(*) FROM labs_submission WHERE state <> 'done'") == [(0,)], 120)
        finally:
            for link in (relay for pair in links for relay in pair):
                link.up.set()
        assert on.sql("SELECT DISTINCT outcome FROM labs_submission") == [("passed",)]
        assert on.sql("SELECT count(*), count(DISTINCT submission) FROM ends") == [(18, 18)]
    for link in (relay for pair in links for relay in pair):
        link.close()


def machine_of(pool: int) -> int:
    """Return which worker a pool process belongs to, by the address that it was given."""
    with open(f"/proc/{pool}/environ", "rb") as environment:
        text = environment.read()
    return next(number for number in range(3) if f"headroom@127.0.0.{number + 2}:".encode() in text)
