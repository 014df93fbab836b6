"""From `labs.submitting.submit` to the first case being played: the whole way through database, queue and worker.

    python -m bench.latency [--quick] [--postgres]

A Redis, a database (SQLite in a temporary folder, or a PostgreSQL) and one Celery worker, as `make up` runs them, all
real. Each submission is a Run of the lab's first right solution, and its row is read every 2 ms:
    taken    the row is running: a worker has claimed it
    case     its phase is "case": the sandbox has been taken, the submission loaded in it, the first case has begun
warm         one at a time, with a pause before each in which the next sandbox becomes ready
back to back the next one is sent as soon as the last has its verdict: the next sandbox may still be importing torch
cold         to a worker that is started at the same moment
Aim: "case" within 150 ms, warm. Leaves with 1 beyond it. What comes after it is the lab's: see `bench.verdicts`.
"""

from __future__ import annotations

import argparse
import sys

from bench.results import machine, missed, row, save, show_rows
from bench.site import PAUSE_S, Site, services, workers

AIM_MS = 150
LAB = "checkpoint-function"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="3 submissions instead of 10, one cold start")
    parser.add_argument("--postgres", action="store_true", help="PostgreSQL instead of SQLite")
    options = parser.parse_args()
    times, starts = (3, 1) if options.quick else (10, 3)
    on = machine()
    found: dict[str, list[dict[str, float]]] = {"cold": []}
    with services(options.postgres) as (environment, folder):
        site = Site(environment, LAB, "run")
        for _ in range(starts):
            with workers(environment, folder) as started:
                found["cold"].append(site.submitted(started, until="case"))
        with workers(environment, folder):
            site.submitted()
            found["warm"] = [site.submitted(pause=PAUSE_S, until="case") for _ in range(times)]
            found["back to back"] = [site.submitted(until="case") for _ in range(times)]
    samples = {
        (name, moment): [one[moment] * 1000 for one in found[name]]
        for name in ("warm", "back to back", "cold")
        for moment in ("taken", "case")
    }
    rows = [row(f"{name}, {moment}", "ms", sample) for (name, moment), sample in samples.items()]
    warm = rows[1]
    warm |= {"aim": f"within {AIM_MS} ms", "met": warm["median"] <= AIM_MS}
    title = f"From Submit to the first case, {'PostgreSQL' if options.postgres else 'SQLite'}"
    show_rows(title, rows)
    save("latency", on, {"title": title, "quick": options.quick, "rows": rows})
    return int(missed(rows))


if __name__ == "__main__":
    sys.exit(main())
