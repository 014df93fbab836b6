"""Spans for a collector of OpenTelemetry, where one is named; without one nothing of it is imported.

A span says what was done and how long it took: names, numbers, outcomes. No address that was asked for, no text of an
error, nothing of a person. The request's id is the trace's id, so the web request, the grading that followed and
their lines in the log are found by one number.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from telemetry import context

_tracer: Any = None
_provider: Any = None


def start(endpoint: str, version: str) -> None:
    """Send spans to `endpoint` (its /v1/traces) from now on. OTEL_EXPORTER_OTLP_HEADERS holds what it asks for."""
    global _tracer, _provider
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor
    from opentelemetry.sdk.trace.id_generator import RandomIdGenerator

    class Ids(RandomIdGenerator):
        def generate_trace_id(self) -> int:
            return trace_id(context.request_id()) or super().generate_trace_id()

    resource = Resource.create({"service.name": "headroom", "service.version": version})
    _provider = TracerProvider(resource=resource, id_generator=Ids())
    exporter = OTLPSpanExporter(endpoint=f"{endpoint.rstrip('/')}/v1/traces", timeout=5)
    _provider.add_span_processor(BatchSpanProcessor(exporter))
    _tracer = _provider.get_tracer("headroom")


def stop() -> None:
    """Send what waits, and no more."""
    global _tracer, _provider
    if _provider is not None:
        _provider.shutdown()
    _tracer = _provider = None


def trace_id(request_id: str) -> int:
    """Return the trace's id for a request's; 0 for one that a proxy made in another form."""
    try:
        return int(request_id, 16) if len(request_id) == 32 else 0
    except ValueError:
        return 0


@contextmanager
def span(name: str, **attributes: str | int | float) -> Iterator[dict[str, str | int | float]]:
    """Time the block. What is put into the yielded dictionary is said of it too; of an exception its class."""
    said: dict[str, str | int | float] = {}
    if _tracer is None:
        yield said
        return
    from opentelemetry.trace import Status, StatusCode

    about = {key: value for key, value in {**context.current(), **attributes}.items() if value}
    with _tracer.start_as_current_span(
        name, attributes=about, record_exception=False, set_status_on_exception=False
    ) as now:
        try:
            yield said
        except BaseException as error:
            now.set_status(Status(StatusCode.ERROR, type(error).__name__))
            raise
        finally:
            now.set_attributes(said)
