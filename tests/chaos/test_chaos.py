"""Everything dies, twice: each submission still ends with exactly one verdict, the right one, and nothing is left.

The suite sends a few; `make chaos` sends 300 of 30 people.
"""

import os
import signal
import time
from contextlib import suppress
from pathlib import Path

import pytest

from tests.chaos.site import KINDS, Site, parent_of, site
from tests.support import postgres, redis
from tests.support.process import until

SUBMISSIONS = int(os.environ.get("HEADROOM_CHAOS", "18"))
PEOPLE = max(2, SUBMISSIONS // 10)
SECONDS_EACH = 12
pytestmark = [pytest.mark.stack, pytest.mark.timeout(900 + 2 * SECONDS_EACH * SUBMISSIONS)]


class Chaos:
    """What goes wrong, each once a round."""

    def __init__(self, on: Site, database: postgres.Server, queue: redis.Server) -> None:
        self.site, self.database, self.queue = on, database, queue

    def in_work(self) -> int:
        """Wait until something is being graded; return the pool process."""
        return int(until(self.site.running, 120)[0][0])

    def kill_a_worker(self) -> None:
        with suppress(OSError):
            os.kill(parent_of(self.in_work()), signal.SIGKILL)

    def kill_a_pool_process(self) -> None:
        with suppress(ProcessLookupError):
            os.kill(self.in_work(), signal.SIGKILL)

    def lose_the_queue(self) -> None:
        self.in_work()
        self.queue.kill()
        time.sleep(2)
        self.queue.start()

    def stop_the_database(self) -> None:
        self.in_work()
        self.database.stop()
        time.sleep(10)
        self.database.start()

    def move_the_clock_of_a_lease(self) -> None:
        """As if the worker had been silent for an hour: it still works, and a second one takes the submission."""
        self.in_work()
        self.site.sql("UPDATE labs_submission SET lease_until = now() - interval '1 hour' WHERE state = 'running'")

    def fill_the_disk_of_a_worker(self) -> None:
        """Until nothing can be written there, for ten seconds in which it goes on grading."""

        def disk_in_use() -> Path | None:
            found = Path(f"/proc/{self.in_work()}/root{self.site.folder}/tmp")
            return found if found.is_mount() else None  # a row may still name a process that was killed

        disk = until(disk_in_use, 120)
        with suppress(FileNotFoundError, ProcessLookupError):
            with pytest.raises(OSError, match="No space left"), (disk / "ballast").open("wb", buffering=0) as ballast:
                while True:
                    ballast.write(bytes(1 << 16))
            time.sleep(10)
            (disk / "ballast").unlink()

    def all(self) -> list[str]:
        steps = [
            self.kill_a_worker,
            self.stop_the_database,
            self.kill_a_pool_process,
            self.lose_the_queue,
            self.move_the_clock_of_a_lease,
            self.fill_the_disk_of_a_worker,
        ]
        for step in steps:
            step()
            time.sleep(3)
        return [step.__name__ for step in steps]


def unfinished(on: Site) -> int:
    return int(on.sql("SELECT count(*) FROM labs_submission WHERE state <> 'done'")[0][0])


def test_whatever_dies_each_submission_gets_one_verdict_and_the_right_one(tmp_path, tables):
    kinds = list(KINDS)
    work = [(f"p{n % PEOPLE}@example.org", f"# {n}\n{KINDS[kinds[n % len(kinds)]]}") for n in range(SUBMISSIONS)]
    expected = {source: kinds[n % len(kinds)].split()[0] for n, (_, source) in enumerate(work)}
    rounds = max(1, SUBMISSIONS // 100)
    with (
        postgres.serving(data=tables) as database,
        redis.serving() as queue,
        site(tmp_path, database.url, queue.url) as on,
    ):
        for name in ("one", "two"):
            on.worker(name, own_disk=True)
        on.beat()
        sender = on.submitting(work, pause=0.5)
        chaos = Chaos(on, database, queue)
        done = [name for _ in range(rounds) for name in chaos.all()]
        assert sender.wait(120 + SUBMISSIONS * 2) == 0
        until(lambda: unfinished(on) == 0, SUBMISSIONS * SECONDS_EACH)

        rows = on.sql("SELECT convert_from(source, 'UTF8'), outcome, attempt FROM labs_submission")
        found = {source: outcome for source, outcome, _ in rows}
        assert len(rows) == len(found) == SUBMISSIONS
        assert {s: o for s, o in found.items() if o != expected[s]} == {}
        ends = on.sql("SELECT count(*), count(DISTINCT submission) FROM ends")
        assert ends == [(SUBMISSIONS, SUBMISSIONS)], "a verdict was written twice"
        again = sum(attempt > 1 for _, _, attempt in rows)
        print(f"{SUBMISSIONS} submissions, {len(done)} faults, {again} graded again")  # noqa: T201
        assert again >= rounds, "the faults hit nothing"
