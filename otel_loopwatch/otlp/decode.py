"""Spans and log records of a request, as the dialects see them.

A walk over the messages of protobuf's C implementation, written for speed: a worker reads every span of a topic, and
most of what it does until it knows that a span is of no interest is done here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterator

from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord
from opentelemetry.proto.resource.v1.resource_pb2 import Resource
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status

from otel_loopwatch.ids import SPAN_ID_BYTES, TRACE_ID_BYTES
from otel_loopwatch.otlp.values import any_value, attributes
from otel_loopwatch.sources.otlp_logs import LogEvent, Requests
from otel_loopwatch.spans import SpanData, SpanEvent

INVALID_ID = "invalid_id"
"""Why a span is skipped: its trace id or its span id has another length than it must, or is all zeros."""
_ERROR = Status.STATUS_CODE_ERROR


def spans(
    request: ExportTraceServiceRequest, skipped: Counter[str] | None = None, of: Container[bytes] | None = None
) -> Iterator[SpanData]:
    """The spans of a request in its order; those with invalid ids are counted in ``skipped`` and left out.

    ``of``: ids of the traces that are wanted; None: all.
    """
    for of_resource in request.resource_spans:
        service = _service(of_resource.resource)
        for of_scope in of_resource.scope_spans:
            scope = of_scope.scope.name
            for span in of_scope.spans:
                if of is not None and span.trace_id not in of:
                    continue
                trace_id, span_id = id_of(span.trace_id, TRACE_ID_BYTES), id_of(span.span_id, SPAN_ID_BYTES)
                if trace_id and span_id:
                    yield _span(span, trace_id, span_id, scope, service)
                elif skipped is not None:
                    skipped[INVALID_ID] += 1


def log_spans(request: ExportLogsServiceRequest, requests: Requests) -> Iterator[SpanData]:
    """The spans that the log records of a request stand for; ``requests`` knows what earlier ones left open."""
    for of_resource in request.resource_logs:
        service = _service(of_resource.resource)
        for of_scope in of_resource.scope_logs:
            scope = of_scope.scope.name
            for record in of_scope.log_records:
                span = requests.span(_event(record, scope, service))
                if span is not None:
                    yield span


def id_of(found: bytes, size: int) -> int:
    """An id as an integer; 0 where it has another length than ``size``, or is none."""
    return int.from_bytes(found, "big") if len(found) == size else 0


def _span(span: Span, trace_id: int, span_id: int, scope: str, service: str) -> SpanData:
    status, events = span.status, span.events
    return SpanData(
        trace_id,
        span_id,
        id_of(span.parent_span_id, SPAN_ID_BYTES),
        span.name,
        scope,
        attributes(span.attributes),
        tuple([SpanEvent(event.name, attributes(event.attributes)) for event in events]) if events else (),
        status.code == _ERROR,
        status.message,
        span.start_time_unix_nano,
        span.end_time_unix_nano,
        service,
    )


def _event(record: LogRecord, scope: str, service: str) -> LogEvent:
    return LogEvent.of(
        record.event_name,
        attributes(record.attributes),
        any_value(record.body),
        trace_id=id_of(record.trace_id, TRACE_ID_BYTES),
        span_id=id_of(record.span_id, SPAN_ID_BYTES),
        time_ns=record.time_unix_nano or record.observed_time_unix_nano,
        scope=scope,
        service=service,
    )


def _service(resource: Resource) -> str:
    return next((pair.value.string_value for pair in resource.attributes if pair.key == "service.name"), "")
