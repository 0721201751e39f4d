"""A message's bytes as an OTLP request, and whether anything in it can matter."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum

from google.protobuf.message import DecodeError
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from otel_loopwatch.dialects.registry import NAMED, TELLING
from otel_loopwatch.otlp import jsons


class Encoding(str, Enum):
    """How the Collector's kafka exporter writes a message."""

    PROTO = "proto"
    """Its ``otlp_proto``."""
    JSON = "json"
    """Its ``otlp_json``."""


def parse(encoding: Encoding, body: bytes | None) -> ExportTraceServiceRequest:
    """The request in a message; what another exporter writes as ``TracesData`` has the same bytes.

    :raises ValueError: for what is none.
    """
    if encoding is Encoding.JSON:
        return jsons.parse(ExportTraceServiceRequest, body or b"")
    try:
        return ExportTraceServiceRequest.FromString(body or b"")
    except DecodeError as error:
        raise ValueError(f"no OTLP request: {error}") from None


def serialised(encoding: Encoding, request: ExportTraceServiceRequest) -> bytes:
    """The message of a request."""
    return jsons.line(request) if encoding is Encoding.JSON else request.SerializeToString()


def matters(request: ExportTraceServiceRequest, follows: Callable[[int], bool]) -> bool:
    """Whether the tracker would remember anything of a request.

    It remembers nothing of ordinary spans that have ended, as of web requests and statements, until an agent's work is
    seen in their trace (``follows``). To look at the names of attributes costs a tenth of reading the spans.
    """
    known = b""
    for of_resource in request.resource_spans:
        for of_scope in of_resource.scope_spans:
            for span in of_scope.spans:
                if _tells(span):
                    return True
                if span.trace_id != known:
                    known = span.trace_id
                    if follows(int.from_bytes(known, "big")):
                        return True
    return False


def _tells(span: Span) -> bool:
    """Whether a span may be an agent's work; one without attributes may turn out to be."""
    pairs = span.attributes
    return not pairs or not TELLING.isdisjoint([pair.key for pair in pairs]) or span.name.startswith(NAMED)
