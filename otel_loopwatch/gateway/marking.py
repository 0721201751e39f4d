"""Marks as bytes: they wait for as long as their request does, and must fill no memory while the downstream is away.

As objects those of one tool span take 650 bytes, packed 150.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from otel_loopwatch.ids import TRACE_ID_BYTES
from otel_loopwatch.otlp import mark
from otel_loopwatch.stream import Mark, MarkedSpan

Marks = dict[tuple[int, int], MarkedSpan]
"""By trace id and span id."""
Plain = str | bool | int | float | list[str]


class _Event(msgspec.Struct, frozen=True, array_like=True):
    name: str
    attributes: dict[str, Plain]
    time_ns: int


class _Span(msgspec.Struct, frozen=True, array_like=True):
    trace_id: bytes
    span_id: int
    attributes: dict[str, Plain]
    events: list[_Event]
    error: str | None


_SPANS = msgspec.msgpack.Decoder(list[_Span])


def packed(marks: Marks) -> bytes:
    """The marks as bytes, none where there are none. Raises ``UnicodeError`` where a text is none."""
    return msgspec.msgpack.encode([_packed(*ids, marked) for ids, marked in marks.items()]) if marks else b""


def marked(body: bytes, marks: bytes) -> bytes:
    """The body of a request with packed marks on its spans. Where either is something else, its ``DecodeError``."""
    request = ExportTraceServiceRequest.FromString(body)
    mark.apply(request, dict(map(_unpacked, _SPANS.decode(marks))))
    return request.SerializeToString()


def _packed(trace_id: int, span_id: int, marked: MarkedSpan) -> _Span:
    events = [_Event(event.name, _plain(event.attributes), event.time_ns) for event in marked.events]
    return _Span(trace_id.to_bytes(TRACE_ID_BYTES, "big"), span_id, _plain(marked.attributes), events, marked.error)


def _plain(attributes: Mapping[str, object]) -> dict[str, Plain]:
    return {key: list(value) if isinstance(value, tuple) else value for key, value in attributes.items()}  # type: ignore[misc]


def _unpacked(span: _Span) -> tuple[tuple[int, int], MarkedSpan]:
    events = [Mark(event.name, event.attributes, event.time_ns) for event in span.events]
    made = MarkedSpan(attributes=span.attributes, events=events, error=span.error)  # type: ignore[arg-type]
    return (int.from_bytes(span.trace_id, "big"), span.span_id), made
