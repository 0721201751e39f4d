"""Jaeger's JSON, as its page and its ``/api/traces`` give it. Times are in microseconds, attributes are typed tags."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from otel_loopwatch.ids import SPAN_ID_BYTES, TRACE_ID_BYTES
from otel_loopwatch.sources.formats import SpanFormat, record_by_record
from otel_loopwatch.sources.records import Record
from otel_loopwatch.sources.scalars import identity, mapping, objects, text
from otel_loopwatch.spans import SpanData, SpanEvent

NS_PER_US = 1000
_SCOPES = ("otel.scope.name", "otel.library.name")
_CAST: dict[str, Callable[[str], Any]] = {
    "int64": int,
    "float64": float,
    "bool": lambda value: value.lower() == "true",
}


def _traces(record: Record) -> list[Mapping[str, Any]]:
    return objects(record["data"]) if isinstance(record.get("data"), list) else [record]


def _recognises(record: Record) -> bool:
    return any(
        isinstance(trace.get("spans"), list) and any("spanID" in span for span in objects(trace["spans"][:1]))
        for trace in _traces(record)[:1]
    )


def _spans(record: Record) -> Iterator[SpanData | None]:
    for trace in _traces(record):
        processes = mapping(trace.get("processes"))
        spans = trace.get("spans")
        for span in spans if isinstance(spans, list) else ():
            yield _span(span, processes) if isinstance(span, Mapping) else None


def _span(span: Record, processes: Mapping[str, Any]) -> SpanData:
    tags = _tags(span.get("tags"))
    start, duration = _microseconds(span.get("startTime")), _microseconds(span.get("duration"))
    process = mapping(span.get("process")) or mapping(processes.get(text(span.get("processID"))))
    return SpanData(
        trace_id=identity(span.get("traceID"), TRACE_ID_BYTES),
        span_id=identity(span.get("spanID"), SPAN_ID_BYTES),
        parent_id=_parent(span),
        name=text(span.get("operationName")),
        scope=next((text(tags[key]) for key in _SCOPES if key in tags), ""),
        attributes=tags,
        events=tuple(_events(span.get("logs"))),
        failed=tags.get("otel.status_code") == "ERROR" or tags.get("error") in (True, "true"),
        status_message=text(tags.get("otel.status_description")),
        start_ns=start * NS_PER_US,
        end_ns=(start + duration) * NS_PER_US,
        service=text(process.get("serviceName")),
    )


def _parent(span: Record) -> int:
    """The span it is a child of, in the same trace."""
    for reference in objects(span.get("references")):
        if reference.get("refType", "CHILD_OF") == "CHILD_OF" and reference.get("traceID") == span.get("traceID"):
            return identity(reference.get("spanID"), SPAN_ID_BYTES)
    return identity(span.get("parentSpanID"), SPAN_ID_BYTES)


def _events(logs: object) -> Iterator[SpanEvent]:
    for log in objects(logs):
        fields = _tags(log.get("fields"))
        yield SpanEvent(text(fields.pop("event", None)), fields)


def _tags(tags: object) -> dict[str, Any]:
    """Tags as attributes. Jaeger writes lists as JSON text."""
    return {
        tag["key"]: _value(text(tag.get("type")), tag.get("value"))
        for tag in objects(tags)
        if isinstance(tag.get("key"), str)
    }


def _value(kind: str, value: object) -> object:
    if not isinstance(value, str):
        return value
    try:
        return _CAST[kind](value) if kind in _CAST else value
    except ValueError:
        return value


def _microseconds(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 53 else 0


FORMAT = SpanFormat(
    name="Jaeger JSON",
    written_by='Jaeger\'s "Trace JSON" and `/api/traces`',
    looks="an object with `spans` of `spanID`, or `data` with such objects",
    recognises=_recognises,
    read=record_by_record(_recognises, _spans, "a Jaeger trace"),
)
