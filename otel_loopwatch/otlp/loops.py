"""A signal as a log record: for loops that are known only after the span that completed them has left."""

from __future__ import annotations

from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord, SeverityNumber

from otel_loopwatch.control.hook import Decision
from otel_loopwatch.ids import SPAN_ID_BYTES, TRACE_ID_BYTES
from otel_loopwatch.model import Level, LoopSignal
from otel_loopwatch.otlp.values import write_pairs
from otel_loopwatch.telemetry import names
from otel_loopwatch.telemetry.annotate import loop_attributes

SERVICE = "otel-loopwatch"
"""``service.name`` of what Loopwatch tells of its own accord."""
SEVERITY = {
    Level.WARNING: SeverityNumber.SEVERITY_NUMBER_WARN,
    Level.CRITICAL: SeverityNumber.SEVERITY_NUMBER_ERROR,
}


def record(signal: LoopSignal, decision: Decision, at_ns: int = 0) -> ExportLogsServiceRequest:
    """A request with one log record, the event ``loopwatch.loop``, linked to the span of the call.

    ``at_ns``: when it was found, if that is known.
    """
    request = ExportLogsServiceRequest()
    of_resource = request.resource_logs.add()
    write_pairs(of_resource.resource.attributes, {"service.name": SERVICE})
    of_scope = of_resource.scope_logs.add()
    of_scope.scope.name = names.SCOPE
    _fill(of_scope.log_records.add(), signal, decision, at_ns)
    return request


def _fill(told: LogRecord, signal: LoopSignal, decision: Decision, at_ns: int) -> None:
    told.event_name = names.LOOP_EVENT
    told.time_unix_nano = told.observed_time_unix_nano = at_ns
    told.severity_number = SEVERITY[signal.level]
    told.severity_text = signal.level.value
    told.body.string_value = signal.reason
    if signal.trace_id:
        told.trace_id = signal.trace_id.to_bytes(TRACE_ID_BYTES, "big")
        told.span_id = signal.span_id.to_bytes(SPAN_ID_BYTES, "big")
    write_pairs(told.attributes, loop_attributes(signal, decision))
