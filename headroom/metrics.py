"""What Prometheus reads at /metrics: states from the database at that moment, sums from the tallies of all processes.

Any web process answers for the whole site (docs/decisions/0007-metrics.md). The page is there for staff who are
signed in, and for who brings METRICS_TOKEN as a bearer token; for all others there is no such page.
"""

from __future__ import annotations

import json
import secrets
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

from django.conf import settings
from django.db import DatabaseError, InterfaceError
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric
from redis import RedisError

from labs import measuring, queue_page
from labs.runners import QUEUES, queue_for
from telemetry import tally

REQUESTS = tally.Counter("headroom_http_requests_total", "Requests answered.", ("view", "method", "status"))
REQUEST_SECONDS = tally.Histogram("headroom_http_request_seconds", "From a request to its answer.", ("view",))
METHODS = {"GET", "HEAD", "POST", "OPTIONS"}
DECLARED_BY = (measuring,)
"""Modules whose tallies are read here: they declare them when they are imported."""


def answered(view: str, method: str | None, status: int, seconds: float) -> None:
    """Count a request. A method that nobody uses is counted as "other": there are as many as one cares to invent."""
    REQUESTS.add(view, method if method in METHODS else "other", str(status))
    REQUEST_SECONDS.observe(seconds, view)


@require_GET
@never_cache
def page(request: HttpRequest) -> HttpResponse:
    """Show the metrics to those who may see them. Raises Http404 for everyone else."""
    if not may_read(request):
        raise Http404("no such page")
    registry = CollectorRegistry()
    registry.register(Site())
    return HttpResponse(generate_latest(registry), content_type=CONTENT_TYPE_LATEST)


def may_read(request: HttpRequest) -> bool:
    """Say whether a request bears the token, or comes from staff. A database that is away keeps only staff out."""
    kind, _, token = request.headers.get("Authorization", "").partition(" ")
    if token:
        wanted = settings.METRICS_TOKEN
        return bool(wanted) and kind == "Bearer" and secrets.compare_digest(token.encode(), wanted.encode())
    return request.user.is_active and getattr(request.user, "is_staff", False)


class Site:
    """Collects everything at the moment it is asked; what cannot be reached is left out, and `headroom_up` says so."""

    def collect(self) -> Iterator[Metric]:
        up = GaugeMetricFamily("headroom_up", "Whether the service answers the web process.", labels=["service"])
        try:
            yield from states()
            up.add_metric(["database"], 1)
        except (DatabaseError, InterfaceError):
            up.add_metric(["database"], 0)
        try:
            sums, gauges = tally.read()
            yield from tallies(sums, gauges)
            up.add_metric(["redis"], 1)
        except (RedisError, OSError):
            up.add_metric(["redis"], 0)
        yield up


def states() -> list[Metric]:
    """Read what waits and who works: five queries."""
    queue = queue_page.look()
    depths = {depth.device: depth for depth in queue.depths}

    def by_device(name: str, text: str, of: Any) -> Metric:
        family = GaugeMetricFamily(name, text, labels=["queue"])
        for device in sorted({"cpu", "cuda", *depths}):
            family.add_metric([queue_for(device)], of(depths[device]) if device in depths else 0)
        return family

    workers = GaugeMetricFamily("headroom_workers", "Workers that lately showed themselves.", labels=["queue"])
    old = GaugeMetricFamily("headroom_workers_of_another_version", "Those whose grader differs from the web's.")
    alive = [row for row in queue.workers if row["alive"]]
    for name in QUEUES:
        workers.add_metric([name], sum(name in row["worker"].queues.split(",") for row in alive))
    old.add_metric([], sum(row["old"] for row in alive))
    lapsed = GaugeMetricFamily("headroom_leases_lapsed", "Running submissions whose worker is silent.")
    lapsed.add_metric([], queue.lapsed)
    return [
        by_device("headroom_queue_waiting", "Submissions that wait.", lambda depth: depth.waiting),
        by_device("headroom_queue_running", "Submissions being graded.", lambda depth: depth.running),
        by_device(
            "headroom_queue_oldest_seconds",
            "How long the oldest of those that wait has waited.",
            lambda depth: (queue.at - depth.oldest).total_seconds() if depth.oldest else 0,
        ),
        workers,
        old,
        lapsed,
    ]


def tallies(sums: dict[str, float], gauges: dict[str, float]) -> Iterable[Metric]:
    """Return a family for each declared tally, with what was counted of it."""
    found: dict[str, dict[tuple[str, ...], dict[str, float]]] = defaultdict(lambda: defaultdict(dict))
    for key, value in {**sums, **gauges}.items():
        name, part, *labels = json.loads(key)
        found[name][tuple(labels)][part] = value
    for name, kind in tally.declared.items():
        rows = found.get(name, {})
        # What an older release counted under other labels is not this release's.
        rows = {labels: parts for labels, parts in rows.items() if len(labels) == len(kind.labels)}
        yield _family(kind, rows)


def _family(kind: Any, rows: dict[tuple[str, ...], dict[str, float]]) -> Metric:
    if isinstance(kind, tally.Histogram):
        family = HistogramMetricFamily(kind.name, kind.help, labels=kind.labels)
        for labels, parts in rows.items():
            total, buckets = 0.0, []
            for bound in [*map(str, kind.buckets), tally.INFINITY]:
                total += parts.get(bound, 0)
                buckets.append((bound, total))
            family.add_metric(labels, buckets, parts.get("sum", 0))
        return family
    simple = CounterMetricFamily if isinstance(kind, tally.Counter) else GaugeMetricFamily
    plain: Any = simple(kind.name, kind.help, labels=kind.labels)
    nothing: dict[tuple[str, ...], dict[str, float]] = {key: {} for key in getattr(kind, "known", ())}
    if not kind.labels:
        nothing = {(): {}}
    for labels, parts in {**nothing, **rows}.items():
        plain.add_metric(labels, parts.get("", 0))
    return plain
