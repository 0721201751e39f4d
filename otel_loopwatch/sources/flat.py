"""Spans as single objects, with the keys that SDKs, CloudWatch and evaluation tools give them.

One parser for all of them, also used for what Phoenix and MLflow wrap around such spans: it goes by whichever of the
known spellings is there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from otel_loopwatch.dialects.values import first
from otel_loopwatch.ids import SPAN_ID_BYTES, TRACE_ID_BYTES
from otel_loopwatch.sources import otlp
from otel_loopwatch.sources.formats import SpanFormat, record_by_record
from otel_loopwatch.sources.records import Record
from otel_loopwatch.sources.scalars import identity, mapping, nanoseconds, objects, sequence, text
from otel_loopwatch.spans import SpanData, SpanEvent

TRACE_ID = ("trace_id", "traceId", "traceID")
SPAN_ID = ("span_id", "spanId", "spanID")
PARENT_ID = ("parent_span_id", "parentSpanId", "parent_id", "parentId", "parentSpanID")
NAME = ("name", "span_name", "operationName")
START = ("startTimeUnixNano", "start_time_unix_nano", "start_time", "startTime", "timestamp")
END = ("endTimeUnixNano", "end_time_unix_nano", "end_time", "endTime")
SCOPE = ("scope", "instrumentation_scope", "instrumentationScope", "instrumentationLibrary")
ERRORS = {*otlp.ERROR_CODES, "ERROR", "StatusCode.ERROR", "Error"}
WRAPPINGS = ("raw_otel_json", "@message")
"""Keys under which CloudWatch's exports hold the span, as an object or as JSON text."""


def is_span(record: object) -> bool:
    """Whether an object is a span: it has both ids and a name."""
    if not isinstance(record, Mapping):
        return False
    context = _context(record)
    return all(isinstance(first(context, *keys), (str, int)) for keys in (TRACE_ID, SPAN_ID)) and isinstance(
        first(record, *NAME), str
    )


def span(record: Record) -> SpanData | None:
    """The span, or ``None`` if the object is none."""
    if not is_span(record):
        return None
    context, status = _context(record), _status(record)
    start_ns, scope = nanoseconds(first(record, *START)), first(record, *SCOPE)
    return SpanData(
        trace_id=identity(first(context, *TRACE_ID), TRACE_ID_BYTES),
        span_id=identity(first(context, *SPAN_ID), SPAN_ID_BYTES),
        parent_id=_parent(record),
        name=text(first(record, *NAME)),
        scope=text(mapping(scope).get("name")) or text(record.get("scope_name")),
        attributes=attributes(record.get("attributes")),
        events=tuple(_events(first(record, "events", "span_events"))),
        failed=_one_of(first(status, "code", "status_code"), ERRORS),
        status_message=text(first(status, "message", "description", "status_message")),
        start_ns=start_ns,
        end_ns=nanoseconds(first(record, *END)) or start_ns,
        service=text(attributes(mapping(record.get("resource")).get("attributes")).get("service.name")),
    )


def attributes(value: object) -> Mapping[str, Any]:
    """Attributes as an object, as OTLP's list of pairs, or as JSON text of either."""
    pairs = sequence(value)
    return otlp.attributes(pairs) if pairs else mapping(value)


def _context(record: Record) -> Mapping[str, Any]:
    """Where the ids are."""
    context = first(record, "context", "spanContext", "_spanContext")
    return record if first(record, *SPAN_ID) is not None or not isinstance(context, Mapping) else context


def _parent(record: Record) -> int:
    parent = first(record, *PARENT_ID)
    if parent is None:
        parent = first(mapping(first(record, "parentSpanContext", "parent")), *SPAN_ID)
    return identity(parent, SPAN_ID_BYTES)


def _status(record: Record) -> Mapping[str, Any]:
    status = record.get("status")
    return status if isinstance(status, Mapping) else {**record, "code": status}


def _one_of(value: object, known: set[Any]) -> bool:
    return isinstance(value, (str, int)) and value in known


def _events(events: object) -> Iterator[SpanEvent]:
    for event in objects(events):
        yield SpanEvent(text(first(event, "name", "event_name")), attributes(event.get("attributes")))


def _held(record: Record) -> list[Any]:
    """What may be a span in a record: itself, what wraps it, or a list in it."""
    wrapped = first(record, *WRAPPINGS)
    if wrapped is not None:
        return [mapping(wrapped)]
    held = first(record, "spans", "data")
    return held if isinstance(held, list) else [record]


def _recognises(record: Record) -> bool:
    return is_span(record) or any(is_span(item) for item in _held(record)[:1])


def _spans(record: Record) -> Iterator[SpanData | None]:
    for item in [record] if is_span(record) else _held(record):
        yield span(item) if isinstance(item, Mapping) else None


FORMAT = SpanFormat(
    name="span list",
    written_by="CloudWatch and ADOT documents, evaluation SDKs, console exporters, GitHub Copilot's trace file",
    looks="objects with `trace_id`, `span_id` and `name`, alone, in a list, or under `spans`",
    recognises=_recognises,
    read=record_by_record(_recognises, _spans, "a span"),
)
