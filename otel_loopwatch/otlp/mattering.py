"""Which traces of a request an agent may be at work in: most spans of most services are of no interest, and unread."""

from __future__ import annotations

from collections.abc import Callable

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from otel_loopwatch.dialects.registry import NAMED, TELLING


def mattering(request: ExportTraceServiceRequest, follows: Callable[[int], bool]) -> set[bytes]:
    """Ids of the traces of which a span tells of an agent's work, now or before (``follows``).

    A tracker remembers nothing of other traces' spans once they have ended, so they need not be read. To look at the
    names of attributes costs 5 to 7 us a span; to read it, 10 to 16, and to follow it, as much again and more.
    """
    found: set[bytes] = set()
    quiet: set[bytes] = set()
    for of_resource in request.resource_spans:
        for of_scope in of_resource.scope_spans:
            for span in of_scope.spans:
                trace_id = span.trace_id
                if trace_id in found:
                    continue
                if trace_id not in quiet:
                    quiet.add(trace_id)
                    if follows(int.from_bytes(trace_id, "big")):
                        found.add(trace_id)
                        continue
                if _tells(span):
                    found.add(trace_id)
    return found


def _tells(span: Span) -> bool:
    """Whether a span may be an agent's work; one without attributes may turn out to be."""
    pairs = span.attributes
    return not pairs or not TELLING.isdisjoint([pair.key for pair in pairs]) or span.name.startswith(NAMED)
