"""A worker that is told to stop hands back what it holds at once; the next version grades it, migrations in between."""

import signal

import pytest

from tests.chaos.site import KINDS, ROOT, site
from tests.support import postgres, redis
from tests.support.process import until

pytestmark = [pytest.mark.stack, pytest.mark.long, pytest.mark.timeout(900)]

SLOW = "import time\n\ndef double(x):\n    time.sleep(6)\n    return x + x\n"


@pytest.fixture
def on(tmp_path, tables):
    with (
        postgres.serving(data=tables) as database,
        redis.serving() as queue,
        site(tmp_path, database.url, queue.url) as made,
    ):
        yield made


def test_what_a_stopping_worker_holds_is_graded_by_the_next(on):
    old = on.worker("old")
    on.submitting([("ada@example.org", SLOW), ("bob@example.org", SLOW)], pause=0).wait(60)
    until(lambda: on.sql("SELECT phase FROM labs_submission WHERE state = 'running'") == [("case",)], 120)
    old.send_signal(signal.SIGTERM)
    old.wait(120)
    assert on.sql("SELECT state, attempt FROM labs_submission ORDER BY id") == [("queued", 1), ("queued", 0)], (
        "it must not wait for gradings to end"
    )
    assert on.sql("SELECT count(*) FROM labs_worker") == [(0,)], "it said goodbye"

    on.python("manage.py", "migrate", "--verbosity", "0")
    on.worker("new")
    on.beat()
    until(lambda: on.sql("SELECT count(*) FROM labs_submission WHERE state <> 'done'") == [(0,)], 120)
    assert on.sql("SELECT outcome, attempt FROM labs_submission ORDER BY id") == [("passed", 2), ("passed", 1)]
    assert on.sql("SELECT count(*), count(DISTINCT submission) FROM ends") == [(2, 2)]


def test_a_drained_worker_finishes_what_it_grades_and_takes_nothing_new(on):
    """SIGTERM as a supervisor sends it, without the Procfile's REMAP_SIGTERM."""
    old = on.worker("old", kept=False, REMAP_SIGTERM="")
    on.submitting([("ada@example.org", SLOW), ("bob@example.org", SLOW)], pause=0).wait(60)
    until(lambda: on.sql("SELECT phase FROM labs_submission WHERE state = 'running'") == [("case",)], 120)
    old.send_signal(signal.SIGTERM)
    old.wait(120)
    assert on.sql("SELECT state, outcome, attempt FROM labs_submission ORDER BY id") == [
        ("done", "passed", 1),
        ("queued", "", 0),
    ]


def test_a_worker_that_cannot_grade_uses_up_no_attempt_and_leaves_the_work_to_others(on):
    on.worker("broken", without=ROOT / "grader" / "judge.py")
    on.beat()
    on.submitting([(f"p{number}@example.org", KINDS["passed"]) for number in range(6)], pause=0).wait(60)
    until(lambda: (on.folder / "log").read_text().count("This worker cannot grade and stops") >= 2, 120)
    assert on.sql("SELECT DISTINCT state, attempt FROM labs_submission") == [("queued", 0)]
    on.worker("sound")
    until(lambda: on.sql("SELECT count(*) FROM labs_submission WHERE state <> 'done'") == [(0,)], 300)
    assert on.sql("SELECT DISTINCT outcome, attempt FROM labs_submission") == [("passed", 1)]


def test_migrations_run_while_a_worker_grades(on):
    on.worker("one")
    on.beat()
    on.submitting([("ada@example.org", SLOW)], pause=0).wait(60)
    until(on.running, 120)
    on.python("manage.py", "migrate", "labs", "0001", "--verbosity", "0")
    on.python("manage.py", "migrate", "--verbosity", "0")
    until(lambda: on.sql("SELECT state FROM labs_submission") == [("done",)], 60)
    assert on.sql("SELECT outcome, attempt FROM labs_submission") == [("passed", 1)]
