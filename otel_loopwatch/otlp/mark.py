"""What is to be written onto spans that already left their process, written onto them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status

from otel_loopwatch.ids import SPAN_ID_BYTES, TRACE_ID_BYTES
from otel_loopwatch.otlp.lists import keep
from otel_loopwatch.otlp.values import write_pairs
from otel_loopwatch.stream.marks import MarkedSpan
from otel_loopwatch.telemetry.annotate import Value


def apply(request: ExportTraceServiceRequest, marks: Mapping[tuple[int, int], MarkedSpan]) -> None:
    """Write marks, by trace id and span id, onto the spans of a request; a key that a span has gets the new value."""
    wanted = {_ids(*ids): marked for ids, marked in marks.items()}
    for span in _spans(request):
        marked = wanted.get((span.trace_id, span.span_id))
        if marked is not None:
            _mark(span, marked)


def _mark(span: Span, marked: MarkedSpan) -> None:
    _set(span, marked.attributes)
    for event in marked.events:
        made = span.events.add(name=event.name, time_unix_nano=event.time_ns)
        write_pairs(made.attributes, event.attributes)
    if marked.error is not None and span.status.code == Status.STATUS_CODE_UNSET:
        span.status.code = Status.STATUS_CODE_ERROR
        span.status.message = marked.error


def _set(span: Span, attributes: Mapping[str, Value]) -> None:
    keep(span.attributes, lambda pair: pair.key not in attributes)
    write_pairs(span.attributes, attributes)


def _spans(request: ExportTraceServiceRequest) -> Iterator[Span]:
    for of_resource in request.resource_spans:
        for of_scope in of_resource.scope_spans:
            yield from of_scope.spans


def _ids(trace_id: int, span_id: int) -> tuple[bytes, bytes]:
    return trace_id.to_bytes(TRACE_ID_BYTES, "big"), span_id.to_bytes(SPAN_ID_BYTES, "big")
