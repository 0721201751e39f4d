"""OTLP/JSON traces, as the collector, the SDKs, Tempo and Grafana write them."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator, Mapping
from typing import Any

from otel_loopwatch.spans import SpanData, SpanEvent

RESOURCE_KEYS = ("resourceSpans", "resource_spans", "batches")
"""``batches`` is what Tempo and Grafana call them."""
_SCOPE_KEYS = ("scopeSpans", "scope_spans", "instrumentationLibrarySpans")
_ERROR = (2, "2", "STATUS_CODE_ERROR")
_TRACE_ID_BYTES, _SPAN_ID_BYTES = 16, 8


def is_trace(record: Mapping[str, Any]) -> bool:
    """Whether an object is an OTLP trace document, or Tempo's ``{"trace": document}``."""
    return any(isinstance(_unwrapped(record).get(key), list) for key in RESOURCE_KEYS)


def spans(record: Mapping[str, Any]) -> Iterator[SpanData | None]:
    """The spans of a document in its order; ``None`` for each that cannot be read."""
    for resource_spans in _objects(_unwrapped(record), *RESOURCE_KEYS):
        resource = attributes(_mapping(resource_spans.get("resource")).get("attributes"))
        service = resource.get("service.name")
        for scope_spans in _objects(resource_spans, *_SCOPE_KEYS):
            scope = _mapping(scope_spans.get("scope") or scope_spans.get("instrumentationLibrary"))
            for span in _list(scope_spans.get("spans")):
                yield _span(span, _text(scope.get("name")), _text(service))


def attributes(pairs: object) -> dict[str, Any]:
    """A list of ``{"key", "value"}`` as a dictionary; what has no such shape is left out."""
    return {
        pair["key"]: any_value(pair.get("value"))
        for pair in _list(pairs)
        if isinstance(pair, dict) and isinstance(pair.get("key"), str)
    }


def any_value(value: object) -> Any:
    """The value of an ``AnyValue``; bytes stay base64 text."""
    if not isinstance(value, dict) or not value:
        return None
    kind, inner = next(iter(value.items()))
    if kind == "intValue":
        return _integer(inner)
    if kind == "arrayValue":
        return [any_value(item) for item in _list(_mapping(inner).get("values"))]
    if kind == "kvlistValue":
        return attributes(_mapping(inner).get("values"))
    return inner


def _span(span: object, scope: str, service: str) -> SpanData | None:
    if not isinstance(span, dict):
        return None
    try:
        status = _mapping(span.get("status"))
        return SpanData(
            trace_id=_id(span.get("traceId"), _TRACE_ID_BYTES),
            span_id=_id(span.get("spanId"), _SPAN_ID_BYTES),
            parent_id=_id(span.get("parentSpanId"), _SPAN_ID_BYTES),
            name=_text(span.get("name")),
            scope=scope,
            attributes=attributes(span.get("attributes")),
            events=tuple(_events(span.get("events"))),
            failed=status.get("code") in _ERROR,
            status_message=_text(status.get("message")),
            start_ns=_integer(span.get("startTimeUnixNano")),
            end_ns=_integer(span.get("endTimeUnixNano")),
            service=service,
        )
    except (ValueError, RecursionError):
        return None


def _events(events: object) -> Iterator[SpanEvent]:
    for event in _list(events):
        if isinstance(event, dict):
            yield SpanEvent(_text(event.get("name")), attributes(event.get("attributes")))


def _id(text: object, size: int) -> int:
    """An id of ``size`` bytes: hex as OTLP/JSON demands, or base64 as Grafana writes it. ``ValueError`` if neither."""
    if not isinstance(text, str) or not text:
        return 0
    if len(text) == 2 * size:
        return int.from_bytes(bytes.fromhex(text), "big")
    try:
        return int.from_bytes(base64.b64decode(text, validate=True), "big")
    except binascii.Error:
        raise ValueError(f"not an id: {text[:40]}") from None


def _integer(value: object) -> int:
    if isinstance(value, str) and value.lstrip("-").isdecimal() and len(value) <= 20:
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else 0


def _unwrapped(record: Mapping[str, Any]) -> Mapping[str, Any]:
    trace = record.get("trace")
    return trace if isinstance(trace, dict) else record


def _objects(outer: Mapping[str, Any], *keys: str) -> Iterator[dict[str, Any]]:
    for key in keys:
        yield from (item for item in _list(outer.get(key)) if isinstance(item, dict))


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
