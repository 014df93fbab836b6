"""A catalogue of three small labs, three standing people, and a judge that answers as a test tells it to."""

import sys
import threading
import types
from datetime import timedelta
from pathlib import Path

import pytest
from django.db import connections
from django.utils import timezone

import grader
from accounts.models import Grant, User
from grader.verdict import Check, Measurements, Outcome, StepSeconds, Verdict
from labs.models import Submission

STARTER = "def checkpoint(function, *args):\n    return function(*args)\n"


def write_lab(root: Path, slug: str, tier: str, order: int) -> None:
    folder = root / slug
    folder.mkdir()
    (folder / "lab.yaml").write_text(
        f"title: Lab {slug}\nsummary: The summary of {slug}.\ntier: {tier}\norder: {order}\n"
        "entry_points: [checkpoint]\ndevices: [cpu]\ntime_limit_s: 5\n"
    )
    (folder / "statement.md").write_text(f"# Lab {slug}\n\nThe statement of {slug}, with `code`.\n")
    (folder / "starter.py").write_text(STARTER)
    (folder / "harness.py").write_text(f"# the harness of {slug}\n")
    (folder / "judge.py").write_text("# never shown\n")


@pytest.fixture(scope="session")
def three_labs(tmp_path_factory):
    root = tmp_path_factory.mktemp("catalogue")
    for order, tier in enumerate(("open", "free", "premium")):
        write_lab(root, f"{tier}-lab", tier, order)
    return root


@pytest.fixture
def catalogue(three_labs, monkeypatch):
    monkeypatch.setenv("HEADROOM_CATALOG", str(three_labs))


@pytest.fixture
def owner(db):
    return User.objects.create_user("owner@example.org", "correct horse")


@pytest.fixture
def subscriber(db):
    """Someone with premium, who owns nothing here."""
    user = User.objects.create_user("subscriber@example.org", "correct horse")
    Grant.objects.create(user=user, until=timezone.now() + timedelta(days=30), reason="test")
    return user


@pytest.fixture
def owner_client(client, owner):
    client.force_login(owner)
    return client


@pytest.fixture
def queued(owner):
    return new_submission(owner)


def new_submission(user, **fields) -> Submission:
    return Submission.objects.create(**{"user": user, "lab": "free-lab", "source": b"x = 1\n", **fields})


def passed(lab="free-lab", **fields) -> Verdict:
    return Verdict(lab, Outcome.PASSED, score=1.0, **fields)


def ungradable(lab="free-lab") -> Verdict:
    return Verdict(lab, Outcome.UNGRADABLE, message="Our fault.")


def timeline(scale: int = 1) -> dict:
    live = {"saved_activation": [0, 4 * scale, 8 * scale, 4 * scale, 0], "gradient": [0, 0, scale, 2 * scale, 0]}
    total = [sum(values) for values in zip(*live.values(), strict=True)]
    return {
        "phases": [{"name": "forward", "start": 0}, {"name": "backward", "start": 3}],
        "kinds": list(live),
        "live": live,
        "total": total,
        "peak_index": total.index(max(total)),
    }


def claim_at_once(claim, workers=8):
    """Call `claim(name)` from many threads at the same moment; return the names that won."""
    won, errors, barrier = [], [], threading.Barrier(workers)

    def work(name):
        try:
            barrier.wait()
            if claim(name):
                won.append(name)
        except Exception as error:
            errors.append(error)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=work, args=(f"w{number}",)) for number in range(workers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
    return won


MIB = 2**20


def failed_verdict() -> Verdict:
    """A verdict as the judge writes it: bytes hold, one gradient differs."""
    return Verdict(
        "free-lab",
        Outcome.FAILED,
        score=0.5,
        checks=(
            Check("peak-bytes", "Peak bytes of the update", True, 52 * MIB, 50_436_505, "bytes"),
            Check("dropout", "The replay sees forward's mask", False, 1e-5, 0.31, "relative", "Set the random state."),
        ),
        measurements=Measurements(
            saved_bytes=12_582_912,
            peak_bytes=50_436_505,
            plain_peak_bytes=173_119_897,
            plain_saved_bytes=150_000_000,
            step_flops=3_221_225_472,
            plain_flops=2_415_919_104,
            recomputed_flops=805_306_368,
            step_seconds=StepSeconds(0.084, 0.081, 0.088, 1.24),
        ),
        timeline={"yours": timeline(MIB), "plain": timeline(3 * MIB), "reference": timeline(MIB)},
        peak={
            "bytes": 50_436_505,
            "phase": "backward",
            "index": 2,
            "tensors": [
                {
                    "bytes": 32 * MIB,
                    "count": 8,
                    "dtype": "float32",
                    "shape": [1024, 1024],
                    "kind": "replay_workspace",
                    "module": "blocks.3",
                    "operator": "aten::gelu",
                }
            ],
        },
        message="One gradient differs.",
        output="hello from the learner\n",
    )


@pytest.fixture
def judge(monkeypatch):
    """Stand in for the judge: `judge.answer` is the verdict, or a function of grade()'s arguments."""

    class Cancelled(Exception):
        pass

    fake = types.ModuleType("grader.judge")
    fake.calls = []
    fake.answer = passed()
    fake.Cancelled = Cancelled
    fake.ready = lambda sandbox: None

    def grade(slug, source, **options):
        fake.calls.append((slug, source, options))
        return fake.answer(slug, source, **options) if callable(fake.answer) else fake.answer

    fake.grade = grade
    monkeypatch.setitem(sys.modules, "grader.judge", fake)
    monkeypatch.setattr(grader, "judge", fake, raising=False)
    return fake


@pytest.fixture
def hints(monkeypatch):
    """Catch the messages that would go to the queue; `hints.down` plays a queue that cannot be reached."""
    from labs import tasks

    class Hints(list):
        down = False

    sent = Hints()

    def apply_async(args, **options):
        if sent.down:
            raise ConnectionError("no queue here")
        sent.append((*args, options["queue"]))

    monkeypatch.setattr(tasks.grade, "apply_async", apply_async)
    return sent
