"""A message's bytes as an OTLP request."""

from __future__ import annotations

from enum import Enum

from google.protobuf.message import DecodeError
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

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
