"""Pages of a site with 100 people beside the same site with 100,000 people and 1,000,000 submissions, on PostgreSQL.

    python -m bench.growth [--quick] [--people 100000]

One server, two databases: the large one is a copy of the small one to which people were added (`growth_rows`). What the
person who asks has done is the same in both. A page is asked in turn on both, in this process, with production's
settings; times are by the clock, the database's work included. The queries of a page must be as many on both.
Limit: a median within a quarter of the small site's. Leaves with 1 beyond it.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from dataclasses import dataclass
from typing import Any

from bench import growth_rows, web
from bench.results import machine, missed, row, save, show_rows

FEW, LIMIT = 100, 1.25
LESSON, QUESTION, LAB = "what-autograd-saves", "why-decode-is-slow", "checkpoint-function"
STAFF = {"queue": "/staff/labs/submission/queue/", "submissions": "/staff/labs/submission/",
         "people": "/staff/accounts/user/"}  # fmt: skip


@dataclass
class Sides:
    """A page's milliseconds and queries on the small and on the large site."""

    times: tuple[list[float], list[float]]
    queries: tuple[int, int]

    @property
    def ratio(self) -> float:
        small, large = (statistics.median(times) for times in self.times)
        return large / small


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="3,000 people, and 4 turns instead of 24")
    parser.add_argument("--people", type=int, default=100_000)
    options = parser.parse_args()
    many, turns = (3_000, 4) if options.quick else (options.people, 24)
    on, rows = machine(), []
    with web.database():
        pages = people_and_pages()
        growth_rows.write(1, FEW, LESSON)
        began = time.perf_counter()
        copy_to("large")
        growth_rows.write(FEW + 1, many, LESSON)
        counts = growth_rows.counts()
        print(f"{counts['labs_submission']:,} submissions written in {time.perf_counter() - began:.0f} s")
        for page, path, client in pages:
            found = compare(client, path, turns)
            small = row(f"{page}, {FEW:,} people", "ms", found.times[0])
            same = found.queries[0] == found.queries[1]
            aim = {"aim": f"within {LIMIT}, {found.queries[0]} queries", "met": same and found.ratio <= LIMIT}
            rows += [small, row(f"{page}, {many:,} people", "ms", found.times[1], against=small, **aim)]
            if not same:
                print(f"{page}: {found.queries[0]} queries grow to {found.queries[1]}")
    show_rows("Growth: milliseconds a page", rows)
    save("growth", on, {"title": "Growth on PostgreSQL", "quick": options.quick, "rows": rows, "counts": counts})
    return 1 if missed(rows) else 0


def people_and_pages() -> list[tuple[str, str, Any]]:
    """Make a member who has done a little of everything, and staff; return pages: name, path, who asks."""
    from django.test import Client

    from accounts.models import User
    from courses import answering, progress
    from courses.models import Lesson, Question
    from labs.models import State, Submission

    def client(cookie: str = "") -> Any:
        made = Client(headers={"host": web.HOST, "x-forwarded-proto": "https"})
        if cookie:
            made.cookies["sessionid"] = cookie.partition("=")[2]
        return made

    user, cookie = web.signed_in("member@example.org")
    staff, staff_cookie = web.signed_in("staff@example.org")
    User.objects.filter(pk=staff.pk).update(is_staff=True, is_superuser=True)
    progress.record_read(user, Lesson.objects.get(slug=LESSON))
    answering.submit(user, Question.objects.get(slug=QUESTION), "An answer.", 0)
    verdict = {"lab": LAB, "outcome": "failed", "score": 0.0, "checks": []}
    sent = [
        Submission.objects.create(user=user, lab=LAB, source=b"x", state=State.DONE, outcome="failed", verdict=verdict)
        for _ in range(12)
    ]
    member, visitor, admin = client(cookie), client(), client(staff_cookie)
    pages = {
        "home": "/", "lesson": f"/lessons/{LESSON}/", "question": f"/questions/{QUESTION}/",
        "own answers": f"/questions/{QUESTION}/answers/", "search": "/search/?q=cache", "labs": "/labs/",
        "lab with own submissions": f"/labs/{LAB}/", "verdict": f"/labs/submissions/{sent[-1].public_id}/",
        "discussion": f"/discussion/lesson/{LESSON}/", "notes": "/notes/", "practise": "/practise/",
        "numbers": "/practise/numbers/", "number": "/practise/numbers/kv-bytes-a-token/", "review": "/practise/review/",
        "mocks": "/practise/mock/", "progress": "/practise/progress/", "account": "/account/",
    }  # fmt: skip
    return [
        *((name, path, member) for name, path in pages.items()),
        ("questions, visitor", "/questions/", visitor),
        *((f"staff: {name}", path, admin) for name, path in STAFF.items()),
    ]


def copy_to(name: str) -> None:
    """Copy the database on the same server, and use the copy from now on."""
    import psycopg
    from django.db import connection

    settings = connection.settings_dict
    connection.close()
    # A database that is copied may have no other session: one in its neighbour does the copying.
    with psycopg.connect(host=settings["HOST"], user=settings["USER"], dbname="template1", autocommit=True) as other:
        other.execute(f"CREATE DATABASE {name} TEMPLATE {settings['NAME']}")
    use(name)


def use(name: str) -> None:
    """Ask this database from now on."""
    from django.db import connection

    connection.close()
    connection.settings_dict["NAME"] = name


def compare(client: Any, page: str, turns: int) -> Sides:
    """Ask both sites in turn: once to begin with, then three times that count."""
    times: tuple[list[float], list[float]] = ([], [])
    queries = [0, 0]
    for turn in range(2 * turns):
        side = turn % 2
        use(("postgres", "large")[side])
        queries[side] = count(client, page)
        times[side].extend(took(client, page) for _ in range(3))
    return Sides(times, (queries[0], queries[1]))


def took(client: Any, page: str) -> float:
    """Return a page's milliseconds. Raises SystemExit where it is not shown."""
    began = time.perf_counter()
    status = client.get(page).status_code
    if status != 200:
        raise SystemExit(f"{page} answers {status}")
    return (time.perf_counter() - began) * 1000


def count(client: Any, page: str) -> int:
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    client.get(page)
    with CaptureQueriesContext(connection) as captured:
        client.get(page)
    return sum("courses_course" not in query["sql"] or "stamp" not in query["sql"] for query in captured)


if __name__ == "__main__":
    sys.exit(main())
