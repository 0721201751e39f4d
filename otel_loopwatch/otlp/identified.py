"""Spans that cannot be told apart are not taken in."""

from __future__ import annotations

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import ResourceSpans, ScopeSpans, Span

from otel_loopwatch.ids import SPAN_ID_BYTES, TRACE_ID_BYTES
from otel_loopwatch.otlp.decode import id_of
from otel_loopwatch.otlp.lists import keep


def drop_unidentified(request: ExportTraceServiceRequest) -> int:
    """Take spans without valid ids out of a request, and what is empty then; the number of those spans."""
    scopes = (of_scope for of_resource in request.resource_spans for of_scope in of_resource.scope_spans)
    dropped = sum(keep(of_scope.spans, _identified) for of_scope in scopes)
    if dropped:
        for of_resource in request.resource_spans:
            keep(of_resource.scope_spans, _has_spans)
        keep(request.resource_spans, _has_scopes)
    return dropped


def _identified(span: Span) -> int:
    return id_of(span.trace_id, TRACE_ID_BYTES) and id_of(span.span_id, SPAN_ID_BYTES)


def _has_spans(of_scope: ScopeSpans) -> int:
    return len(of_scope.spans)


def _has_scopes(of_resource: ResourceSpans) -> int:
    return len(of_resource.scope_spans)
