"""What is to be written onto spans that already left their process, written onto them.

A span may have been marked before, by the processor of its own process or by a gateway on its way. It says the same of
a loop then; what was done about it may differ, and the one that did more is believed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status

from otel_loopwatch.control.report import RunStatus
from otel_loopwatch.ids import SPAN_ID_BYTES, TRACE_ID_BYTES
from otel_loopwatch.model import Action
from otel_loopwatch.otlp.lists import keep
from otel_loopwatch.otlp.values import attributes as decoded
from otel_loopwatch.otlp.values import write_pairs
from otel_loopwatch.stream.marks import Mark, MarkedSpan
from otel_loopwatch.telemetry import names
from otel_loopwatch.telemetry.annotate import Value

OF_ACTION = frozenset({names.LOOP_ACTION, names.LOOP_DRY_RUN})
DONE = OF_ACTION | {names.RUN_STATUS}
"""What may differ."""
STRENGTH = {action.value: strength for strength, action in enumerate(Action)}


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
        if not _has(span, event):
            made = span.events.add(name=event.name, time_unix_nano=event.time_ns)
            write_pairs(made.attributes, event.attributes)
    if marked.error is not None and span.status.code == Status.STATUS_CODE_UNSET:
        span.status.code = Status.STATUS_CODE_ERROR
        span.status.message = marked.error


def _has(span: Span, event: Mark) -> bool:
    """Whether that loop was told on the span before."""
    told = event.attributes.get(names.LOOP_ID)
    return told is not None and any(
        pair.key == names.LOOP_ID and pair.value.string_value == told
        for before in span.events
        if before.name == event.name
        for pair in before.attributes
    )


def _set(span: Span, attributes: Mapping[str, Value]) -> None:
    stays = _stays(decoded(pair for pair in span.attributes if pair.key in DONE), attributes)
    new = {key: value for key, value in attributes.items() if key not in stays}
    gone = new.keys() | OF_ACTION if names.LOOP_ACTION in new else new.keys()
    keep(span.attributes, lambda pair: pair.key not in gone)
    write_pairs(span.attributes, new)


def _stays(old: Mapping[str, Value], new: Mapping[str, Value]) -> frozenset[str]:
    """Keys that keep their values: more was done than the mark knows of."""
    stays = OF_ACTION if _strength(old) > _strength(new) else frozenset[str]()
    halted = old.get(names.RUN_STATUS) == RunStatus.HALTED.value
    return stays | {names.RUN_STATUS} if halted else stays


def _strength(told: Mapping[str, Value]) -> tuple[bool, int]:
    """What was enforced is more than what was only recorded."""
    action = STRENGTH.get(str(told.get(names.LOOP_ACTION)), -1)
    return action > 0 and names.LOOP_DRY_RUN not in told, action


def _spans(request: ExportTraceServiceRequest) -> Iterator[Span]:
    for of_resource in request.resource_spans:
        for of_scope in of_resource.scope_spans:
            yield from of_scope.spans


def _ids(trace_id: int, span_id: int) -> tuple[bytes, bytes]:
    return trace_id.to_bytes(TRACE_ID_BYTES, "big"), span_id.to_bytes(SPAN_ID_BYTES, "big")
