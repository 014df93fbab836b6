"""Practise with 200,000 answers by 10,000 people against an empty site: queries and median time, page by page.

    .venv/bin/python bench/many_people.py [--people 10000] [--each 20]

Both sites are SQLite files in a temporary folder, with the curriculum and one person whose own work is the same in
both, and are asked in turn. Times are the processor's, SQLite's own work included: the machine may be shared.
Limit: fewer than 12 queries a page, and a median within a quarter of the empty site's. Leaves with 1 beyond either.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import sys
import tempfile
import time
from datetime import timedelta
from pathlib import Path
from typing import Any

QUERIES, RATIO, ROUNDS = 12, 1.25, 12
PAGES = (
    "/practise/",
    "/practise/numbers/",
    "/practise/numbers/kv-bytes-a-token/",
    "/practise/review/",
    "/practise/mock/",
    "/practise/progress/",
    "/questions/",
    "/questions/why-decode-is-slow/",
    "/questions/why-decode-is-slow/answers/",
    "/lessons/kv-cache/",
)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--people", type=int, default=10_000)
    parser.add_argument("--each", type=int, default=20, help="answers, quiz attempts, tries and reviews of each person")
    options = parser.parse_args()
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= {"HEADROOM_DATA": folder, "HEADROOM_MODE": "local", "DJANGO_SETTINGS_MODULE": "headroom.settings"}
        os.environ.setdefault("LOG_LEVEL", "WARNING")
        import django

        django.setup()
        from django.conf import settings
        from django.core.management import call_command

        settings.ALLOWED_HOSTS, settings.DEBUG = ["testserver"], False
        settings.CACHES["default"] = {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}
        call_command("migrate", verbosity=0)
        call_command("content", "sync")
        client = someone()
        full, empty = Path(folder, "headroom.sqlite3"), Path(folder, "empty.sqlite3")
        use(full)
        shutil.copy(full, empty)
        started = time.perf_counter()
        fill(options.people, options.each)
        seconds = time.perf_counter() - started
        print(f"{options.people * options.each:,} answers by {options.people:,} people, written in {seconds:.0f} s")
        return compare(client, empty, full)


def use(database: Path) -> None:
    """Ask this file from now on."""
    from django.db import connection

    connection.close()
    connection.settings_dict["NAME"] = str(database)


def someone() -> Any:
    """Return a client of one person who has read, answered, tried and reviewed a little."""
    from django.test import Client
    from django.utils import timezone

    from accounts.access import Person
    from accounts.models import User
    from courses import answering
    from courses.models import Lesson, LessonRead, Question
    from practice import cards, reviewing

    user = User.objects.create_user("one@example.org", "a long passphrase")
    user.grants.create(until=timezone.now() + timedelta(days=9), reason="bench")
    LessonRead.objects.bulk_create(LessonRead(user=user, lesson=lesson) for lesson in Lesson.objects.shown())
    answering.submit(user, Question.objects.get(slug="why-decode-is-slow"), "An answer.", 0)
    for key in cards.available(user, Person.of(user), timezone.now())[:30]:
        reviewing.grade(user, key, 3, 1, timezone.now() - timedelta(days=3))
    client = Client()
    client.force_login(user)
    return client


def fill(people: int, each: int) -> None:
    """Write what many others did, spread over the questions, items and numbers that there are."""
    from django.utils import timezone

    from accounts.models import User
    from courses.models import Answer, Lesson, LessonRead, Question, QuizAttempt, QuizItem
    from practice import numbers
    from practice.models import CardState, NumberTry, Review

    now = timezone.now()
    day = now.date()
    questions, items = list(Question.objects.shown()), list(QuizItem.objects.all())
    lessons, known = list(Lesson.objects.shown()), numbers.all_numbers()
    User.objects.bulk_create([User(email=f"p{n}@example.org", password="!") for n in range(people)], batch_size=500)
    ids = list(User.objects.filter(email__startswith="p").values_list("pk", flat=True))

    def write(model: Any, make: Any, count: int = each) -> None:
        rows = (make(user, number) for user in ids for number in range(count))
        model.objects.bulk_create(rows, batch_size=2000)

    def at(user: int, number: int) -> Any:
        return now - timedelta(minutes=user % 977 + 60 * number)

    write(LessonRead, lambda user, n: LessonRead(user_id=user, lesson=lessons[n]), min(5, len(lessons)))
    write(Answer, lambda user, n: Answer(user_id=user, question=questions[(user + n) % len(questions)], text="x" * 400,
                                         question_version="1", submitted_at=at(user, n)))  # fmt: skip
    write(QuizAttempt, lambda user, n: QuizAttempt(user_id=user, item=items[(user + n) % len(items)], response=[0],
                                                   score=n % 2, item_version="1"))  # fmt: skip
    write(NumberTry, lambda user, n: NumberTry(user_id=user, number=known[(user + n) % len(known)].id, inputs={},
                                               typed="1", right=n % 2 == 0, answered_at=at(user, n)))  # fmt: skip
    write(Review, lambda user, n: Review(user_id=user, card=f"quiz:{n}", nth=1, grade=3, day=day, at=now))
    write(CardState, lambda user, n: CardState(user_id=user, card=f"quiz:{n}", reviews=1, first_on=day, last_on=day,
                                               due_on=day, stability=1, difficulty=5, reviewed_at=now))  # fmt: skip


def compare(client: Any, empty: Path, full: Path) -> int:
    """Print the pages side by side; return 1 where one is beyond a limit."""
    beyond = 0
    print(f"{'page':44}{'queries':>8}{'empty ms':>10}{'full ms':>10}{'ratio':>8}")
    for page in PAGES:
        times: dict[Path, list[float]] = {empty: [], full: []}
        for turn in range(2 * ROUNDS):
            site = (empty, full)[turn % 2]
            use(site)
            times[site] += [seconds(client, page) for _ in range(3)][1:]
        queries = count(client, page)
        small, large = (1e3 * statistics.median(times[site]) for site in (empty, full))
        worse = queries >= QUERIES or large / small > RATIO
        beyond += worse
        print(f"{page:44}{queries:8}{small:10.1f}{large:10.1f}{large / small:8.2f}{'  beyond' if worse else ''}")
    return int(beyond > 0)


def seconds(client: Any, page: str) -> float:
    started = time.process_time()
    status = client.get(page).status_code
    spent = time.process_time() - started
    if status != 200:
        raise SystemExit(f"{page} answers {status}")
    return spent


def count(client: Any, page: str) -> int:
    from django.db import connection, reset_queries
    from django.test.utils import CaptureQueriesContext

    reset_queries()
    with CaptureQueriesContext(connection) as captured:
        client.get(page)
    return len(captured)


if __name__ == "__main__":
    sys.exit(main())
