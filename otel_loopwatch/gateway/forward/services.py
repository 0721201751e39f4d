"""Names of OTLP by signal."""

from __future__ import annotations

from typing import Any

from google.protobuf.message import DecodeError
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest, ExportLogsServiceResponse
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (
    ExportMetricsServiceRequest,
    ExportMetricsServiceResponse,
)
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)

from otel_loopwatch.gateway.forward.outcome import Taken
from otel_loopwatch.gateway.signal import Signal

METHODS = {
    Signal.TRACES: "/opentelemetry.proto.collector.trace.v1.TraceService/Export",
    Signal.LOGS: "/opentelemetry.proto.collector.logs.v1.LogsService/Export",
    Signal.METRICS: "/opentelemetry.proto.collector.metrics.v1.MetricsService/Export",
}
"""Of gRPC."""
REQUESTS: dict[Signal, type[Any]] = {
    Signal.TRACES: ExportTraceServiceRequest,
    Signal.LOGS: ExportLogsServiceRequest,
    Signal.METRICS: ExportMetricsServiceRequest,
}
ANSWERS: dict[Signal, type[Any]] = {
    Signal.TRACES: ExportTraceServiceResponse,
    Signal.LOGS: ExportLogsServiceResponse,
    Signal.METRICS: ExportMetricsServiceResponse,
}
REJECTED = {
    Signal.TRACES: "rejected_spans",
    Signal.LOGS: "rejected_log_records",
    Signal.METRICS: "rejected_data_points",
}
"""Field of a partial success."""


def path(signal: Signal) -> str:
    """Of HTTP, below the endpoint."""
    return f"/v1/{signal.value}"


def taken(signal: Signal, answer: bytes) -> Taken:
    """What the answer to a request says; one that cannot be read says that it was taken, as its status did."""
    response = ANSWERS[signal]()
    try:
        response.ParseFromString(answer)
    except DecodeError:
        return Taken()
    partial = response.partial_success
    return Taken(getattr(partial, REJECTED[signal]), partial.error_message)
